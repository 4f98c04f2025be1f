import { describe, expect, it } from "vitest";
import type { MediaSlot } from "../../../../src/core/dialects/dialect.js";
import { fireworks } from "../../../../src/core/dialects/fireworks/index.js";
import { deepFreeze } from "../deep-freeze.js";

const withMedia = deepFreeze({
  role: "user",
  content: [
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
    { type: "image_url", image_url: "data:image/webp;base64,BBBB" },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    { type: "video_url", video_url: { url: "data:video/mp4;base64,CCCC" } },
    { type: "input_audio", input_audio: { data: "DDDD", format: "mp3" } },
    { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,EEEE" } },
    { type: "file", file: { filename: "b.pdf", file_data: "FFFF" } },
    { type: "file", file: { file_id: "file-1" } },
    { type: "text", text: "data:image/png;base64,typed" },
  ],
});

describe("checkMessage", () => {
  it("DIA-62 takes every role, null for an absent field, and what a newer server may add", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      withMedia,
      { role: "assistant", content: null, reasoning_content: "hm", refusal: null, annotations: [] },
      {
        role: "assistant",
        tool_calls: [{ id: "f:0", type: "function", function: { name: "f", arguments: "{" } }],
      },
      { role: "tool", tool_call_id: "f:0", content: "x" },
      { role: "function", name: "f", content: null },
      { role: "user", content: [{ type: "smell_url", smell_url: {} }] },
    ];
    expect(messages.flatMap((message, index) => fireworks.checkMessage(message, index))).toEqual([]);
  });

  it.each([
    ["text", "", "a message object {role, content}"],
    [{ content: "x" }, "role", '"system" or "developer" or "user" or "assistant" or "tool" or "function"'],
    [{ role: "user" }, "content", "a string or a list of parts"],
    [{ role: "system", content: null }, "content", "a string or a list of parts"],
    [{ role: "user", content: { text: "x" } }, "content", "a string or a list of parts"],
    [{ role: "user", content: ["x"] }, "content.0", "a content part"],
    [{ role: "user", content: [{ type: "text", text: 7 }] }, "content.0.text", "a string"],
    [{ role: "user", content: [{ image_url: { url: 7 } }] }, "content.0.image_url.url", "a string"],
    [{ role: "tool", content: "x" }, "tool_call_id", "a string"],
    [{ role: "assistant", tool_calls: {} }, "tool_calls", "a list"],
    [
      { role: "assistant", tool_calls: [{ function: { arguments: {} } }] },
      "tool_calls.0.function.arguments",
      "a string",
    ],
  ])("DIA-63 names what is wrong in %j", (message, path, expected) => {
    expect(fireworks.checkMessage(message, 2)).toEqual([{ index: 2, path, expected }]);
  });
});

describe("mapMedia", () => {
  it("DIA-64 visits every media position, and a data URL keeps its prefix", () => {
    const slots: MediaSlot[] = [];
    const mapped = fireworks.mapMedia(withMedia, (slot) => {
      slots.push(slot);
      return `$${slot.data}`;
    });
    expect(slots.map(({ kind, mime_type, data, path }) => [kind, mime_type, data, path])).toEqual([
      ["image", "image/png", "AAAA", "content.0.image_url.url"],
      ["image", "image/webp", "BBBB", "content.1.image_url"],
      ["video", "video/mp4", "CCCC", "content.3.video_url.url"],
      ["audio", "audio/mpeg", "DDDD", "content.4.input_audio.data"],
      ["document", "application/pdf", "EEEE", "content.5.file.file_data"],
      ["document", "application/pdf", "FFFF", "content.6.file.file_data"],
    ]);
    expect(mapped).toEqual({
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "data:image/png;base64,$AAAA", detail: "low" } },
        { type: "image_url", image_url: "data:image/webp;base64,$BBBB" },
        withMedia.content[2],
        { type: "video_url", video_url: { url: "data:video/mp4;base64,$CCCC" } },
        { type: "input_audio", input_audio: { data: "$DDDD", format: "mp3" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,$EEEE" } },
        { type: "file", file: { filename: "b.pdf", file_data: "$FFFF" } },
        withMedia.content[7],
        withMedia.content[8],
      ],
    });
  });

  it("DIA-64 visits images that a writer put into the content of a tool message", () => {
    const message = {
      role: "tool",
      tool_call_id: "1",
      content: [{ image_url: { url: "data:image/png;base64,A" } }],
    };
    const seen: string[] = [];
    fireworks.mapMedia(message, (slot) => {
      seen.push(slot.path);
      return slot.data;
    });
    expect(seen).toEqual(["content.0.image_url.url"]);
  });

  it("DIA-64 gives back the very same object when nothing changes", () => {
    expect(fireworks.mapMedia(withMedia, ({ data }) => data)).toBe(withMedia);
    const plain = { role: "user", content: "data:image/png;base64,AAAA" };
    expect(fireworks.mapMedia(plain, () => "changed")).toBe(plain);
  });
});
