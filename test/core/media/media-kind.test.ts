import { expect, it } from "vitest";
import { mediaKind } from "../../../src/core/media/media-kind.js";

it.each([
  ["image/png", "image"],
  ["Image/HEIC", "image"],
  ["audio/wav", "audio"],
  ["video/mp4; codecs=avc1", "video"],
  ["application/pdf", "document"],
  ["text/markdown; charset=utf-8", "document"],
  ["application/zip", "file"],
  ["", "file"],
])("DIA-50 names the kind of %j %s", (mimeType, kind) => {
  expect(mediaKind(mimeType)).toBe(kind);
});
