import { describe, expect, it } from "vitest";
import { isMediaKey } from "../../../src/core/media/marker.js";
import { bareMimeType, extensionOf, mimeTypeOfExtension } from "../../../src/core/media/mime.js";

describe("MIME types", () => {
  it("MED-3 have a short extension each, and an extension its first type", () => {
    const pairs = [
      ["image/png", "png"],
      ["image/jpeg", "jpg"],
      ["image/webp", "webp"],
      ["application/pdf", "pdf"],
      ["text/plain", "txt"],
      ["audio/wav", "wav"],
      ["audio/mpeg", "mp3"],
      ["video/mp4", "mp4"],
    ] as const;
    for (const [type, extension] of pairs) {
      expect(extensionOf(type)).toBe(extension);
      expect(mimeTypeOfExtension(extension)).toBe(type);
      expect(isMediaKey(`${"a".repeat(64)}.${extension}`)).toBe(true);
    }
  });

  it("MED-3 are known by other names, in any case, with parameters and with a dot", () => {
    expect(extensionOf("image/jpg")).toBe("jpg");
    expect(extensionOf("Text/Plain; charset=utf-8")).toBe("txt");
    expect(bareMimeType(" Audio/WAV ;rate=1")).toBe("audio/wav");
    expect(mimeTypeOfExtension(".JPEG")).toBe("image/jpeg");
  });

  it("MED-3 stand for nothing where they are not in the table", () => {
    expect(extensionOf("application/x-unheard-of")).toBe("bin");
    expect(extensionOf("constructor")).toBe("bin");
    expect(mimeTypeOfExtension("exe")).toBeUndefined();
    expect(mimeTypeOfExtension("constructor")).toBeUndefined();
  });
});
