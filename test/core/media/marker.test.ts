import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/core/errors/errors.js";
import {
  assertMediaKey,
  digestOfKey,
  isMarker,
  isMediaKey,
  keyOf,
  markerFor,
  mediaKey,
} from "../../../src/core/media/marker.js";

const SHA256 = "0123456789abcdef".repeat(4);

describe("markers", () => {
  it("MED-1 go from digest and type to a key, to a marker and back", () => {
    const key = mediaKey(SHA256, "application/pdf");
    expect(key).toBe(`${SHA256}.pdf`);
    expect(markerFor(key)).toBe(`$media:${SHA256}.pdf`);
    expect(keyOf(markerFor(key))).toBe(key);
    expect(isMarker(markerFor(key))).toBe(true);
    expect(digestOfKey(key)).toBe(SHA256);
  });

  it("MED-2 pass only as <64 hex digits>.<1 to 8 of a-z 0-9>", () => {
    const refused = [
      "",
      "a.pdf",
      SHA256,
      `${SHA256}.`,
      `${SHA256}.PDF`,
      `${SHA256}.ninechars`,
      `${SHA256.toUpperCase()}.pdf`,
      `${SHA256.slice(1)}.pdf`,
      `../${SHA256}.pdf`,
      `/${SHA256}.pdf`,
      `C:\\${SHA256}.pdf`,
      `${SHA256}.pdf/..`,
      `${SHA256}.pdf\0`,
      `${SHA256}.pdf\n`,
      ` ${SHA256}.pdf`,
      `${SHA256}.p/f`,
    ];
    for (const key of refused) {
      expect(isMediaKey(key), JSON.stringify(key)).toBe(false);
      expect(isMarker(`$media:${key}`), JSON.stringify(key)).toBe(false);
      expect(() => markerFor(key)).toThrow(UsageError);
      expect(() => assertMediaKey(key)).toThrow(/is not a media key/);
    }
    expect(isMarker(`${SHA256}.pdf`)).toBe(false);
    expect(isMarker(`say $media:${SHA256}.pdf`)).toBe(false);
    expect(() => mediaKey("../etc/passwd", "text/plain")).toThrow(UsageError);
  });
});
