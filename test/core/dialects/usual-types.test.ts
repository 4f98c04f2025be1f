import { describe, expect, it } from "vitest";
import { judgeMedia } from "../../../src/connection/judge-media.js";
import { takesAttachment } from "../../../src/core/dialects/attachment-types.js";
import { withUsualTypes } from "../../../src/core/dialects/usual-types.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { splitDataUrl } from "../../../src/core/media/data-url.js";
import { usualMimeType } from "../../../src/core/media/usual-mime-type.js";
import { GIF, JPEG, PNG, smallPdf, WEBP } from "../../support/whole-files.js";

const sent = (message: unknown): unknown => withUsualTypes([message as NativeMessage])[0];
const base64 = PNG.toString("base64");

describe("a type of media under another name", () => {
  it.each([
    ["image/jpg", "image/jpeg"],
    ["image/pjpeg", "image/jpeg"],
    ["IMAGE/PNG", "image/png"],
    ["image/png; charset=binary", "image/png"],
    ["audio/x-wav", "audio/wav"],
    ["audio/wave", "audio/wav"],
    ["audio/mp3", "audio/mpeg"],
    ["application/x-pdf", "application/pdf"],
    ["audio/L16;rate=16000", "audio/L16;rate=16000"],
    ["text/xml; charset=utf-8", "text/xml; charset=utf-8"],
  ])("MED-249 counts as the same type: %s", (given, usual) => {
    expect(usualMimeType(given)).toBe(usual);
  });

  it("MED-249 is taken, and not held against the bytes", async () => {
    expect(takesAttachment("anthropic", "image/jpg")).toBe(true);
    expect(takesAttachment("google", "audio/x-wav")).toBe(true);
    const key = `${"0".repeat(64)}.jpg`;
    const place = {
      kind: "image",
      mime_type: "image/jpg",
      data: `$media:${key}`,
      path: "",
      message_index: 0,
    } as const;
    const heads = new Map([[key, JPEG]]);
    expect(await judgeMedia(place, { reader: { provider: "anthropic" }, heads })).toBeUndefined();
  });

  it("MED-250 stands in a request under the name that services know, wherever a medium stands, and nowhere else", () => {
    const source = (media_type: string) => ({ type: "base64", media_type, data: base64 });
    const blocks = (media_type: string) => [
      { type: "image", source: source(media_type) },
      { type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source: source(media_type) }] },
      {
        type: "tool_use",
        id: "t1",
        name: "save",
        input: { source: source("image/jpg"), url: "data:image/jpg;base64,AA==" },
      },
    ];
    expect(sent({ role: "user", content: blocks("image/jpg") })).toEqual({
      role: "user",
      content: blocks("image/jpeg"),
    });
    const parts = (mimeType: string) => [
      { inlineData: { mimeType, data: base64 } },
      { fileData: { mimeType, fileUri: "https://example.com/a" } },
      {
        functionResponse: {
          name: "f",
          response: { mimeType: "IMAGE/PNG" },
          parts: [{ inlineData: { mimeType, data: base64 } }],
        },
      },
    ];
    expect(sent({ role: "user", parts: parts("IMAGE/PNG") })).toEqual({
      role: "user",
      parts: parts("image/png"),
    });
    const items = (type: string) => [{ type: "input_image", image_url: `data:${type};base64,${base64}` }];
    expect(sent({ role: "user", content: items("image/png; charset=binary") })).toEqual({
      role: "user",
      content: items("image/png"),
    });
    expect(sent({ type: "function_call_output", call_id: "c", output: items("IMAGE/PNG") })).toMatchObject({
      output: items("image/png"),
    });
    const chat = (type: string) => [
      { type: "image_url", image_url: { url: `data:${type};base64,${base64}` } },
    ];
    expect(sent({ role: "user", content: chat("") })).toEqual({ role: "user", content: chat("image/png") });
    const usual = [
      { role: "user", content: chat("image/png") },
      { role: "user", content: "data:image/jpg;base64,AA==" },
    ];
    expect(withUsualTypes(usual)).toBe(usual);
  });

  it("MED-249 is told by the bytes where a data URL names none", () => {
    const typeOf = (bytes: Buffer) => splitDataUrl(`data:;base64,${bytes.toString("base64")}`)?.mime_type;
    expect([PNG, JPEG, GIF, WEBP, smallPdf(), Buffer.from("text")].map(typeOf)).toEqual([
      "image/png",
      "image/jpeg",
      "image/gif",
      "image/webp",
      "application/pdf",
      "text/plain",
    ]);
    expect(splitDataUrl(`data:;base64,$media:${"0".repeat(64)}.png`)?.mime_type).toBe("image/png");
  });
});
