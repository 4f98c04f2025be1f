import { describe, expect, it } from "vitest";
import { splitDataUrl } from "../../../src/core/media/data-url.js";

describe("splitDataUrl", () => {
  it("DIA-51 keeps the prefix of a base64 data URL apart from its data", () => {
    const marker = `$media:${"a".repeat(64)}.png`;
    expect(splitDataUrl(`data:image/PNG;name=a.png;base64,${marker}`)).toEqual({
      prefix: "data:image/PNG;name=a.png;base64,",
      mime_type: "image/png",
      data: marker,
    });
    expect(splitDataUrl("data:;base64,QQ==")?.mime_type).toBe("text/plain");
  });

  it.each(["https://example.com/a.png", "data:text/plain,hello", "$media:x.png", ""])(
    "DIA-51 finds no base64 in %j",
    (url) => {
      expect(splitDataUrl(url)).toBeUndefined();
    },
  );
});
