import { expect, it } from "vitest";
import { normalisedType, typeOfAddress } from "../../../src/core/dialects/media-type.js";

const origin = { index: 3, path: "content[0]" };

it.each<[string, string, boolean]>([
  ["image/png", "image/png", false],
  ["image/jpg", "image/jpeg", true],
  ["image/pjpeg", "image/jpeg", true],
  ["IMAGE/PNG; q=1", "image/png", true],
  ["Text/Plain; charset=utf-8", "text/plain", false],
])(
  "DIA-135 brings the type %s into one form, and reports an image's correction",
  (given, mime_type, reported) => {
    const detail = `content[0] ${given} -> ${mime_type}`;
    const report = reported ? [{ kind: "changed", artefact: "media", index: 3, detail }] : [];
    expect(normalisedType(given, origin)).toEqual({ mime_type, report });
  },
);

it.each<[string, string | null]>([
  ["https://example.com/a/b.PDF?x=1.png#y", "application/pdf"],
  ["gs://bucket/x.png", "image/png"],
  ["https://example.com", null],
  ["https://example.png", null],
  ["https://example.com/a.unheard", null],
])("DIA-136 reads the type of %s off its path's extension", (url, type) => {
  expect(typeOfAddress(url)).toBe(type);
});
