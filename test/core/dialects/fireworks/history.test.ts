import { describe, expect, it } from "vitest";
import { fireworks } from "../../../../src/core/dialects/fireworks/index.js";
import { deepFreeze } from "../deep-freeze.js";

const called = (...calls: readonly (readonly [id: string, name: string, args: string])[]) => ({
  role: "assistant",
  content: null,
  tool_calls: calls.map(([id, name, args]) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  })),
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" });

describe("a Chat Completions history", () => {
  it("DIA-65 carries an image as a data URL, and keeps a message without files a plain string", () => {
    const marker = `$media:${"0".repeat(64)}.png`;
    expect(
      fireworks.userMessage("What is it?", [{ mime_type: "image/png", name: "a.png", data: marker }]),
    ).toEqual({
      role: "user",
      content: [
        { type: "image_url", image_url: { url: `data:image/png;base64,${marker}` } },
        { type: "text", text: "What is it?" },
      ],
    });
    expect(fireworks.userMessage("hi", [])).toEqual({ role: "user", content: "hi" });
  });

  it.each([
    ["video/mp4", { type: "video_url", video_url: { url: "data:video/mp4;base64,AA==" } }],
    ["audio/mpeg", { type: "input_audio", input_audio: { data: "AA==", format: "mp3" } }],
    ["audio/x-wav", { type: "input_audio", input_audio: { data: "AA==", format: "wav" } }],
    [
      "application/pdf",
      { type: "file", file: { filename: "x", file_data: "data:application/pdf;base64,AA==" } },
    ],
  ])("DIA-65 has a part for %s, for servers that take it", (mime_type, part) => {
    expect(fireworks.userMessage("", [{ mime_type, name: "x", data: "AA==" }]).content).toEqual([part]);
  });

  it("DIA-66 settles the first open call of an id that repeats", () => {
    const messages = deepFreeze([
      called(["eval:0", "eval", '{"n":1}'], ["eval:0", "eval", '{"n":2}']),
      result("eval:0"),
    ]);
    expect(fireworks.openToolCalls(messages)).toEqual([{ id: "eval:0", name: "eval", arguments: { n: 2 } }]);
    expect(fireworks.openToolCalls([...messages, result("eval:0")])).toEqual([]);
  });

  it("DIA-66 reads no arguments as none, and what is no JSON as the text it is", () => {
    const messages = [called(["1", "a", ""], ["2", "b", '{"cut":'], ["3", "c", "[1]"])];
    expect(fireworks.openToolCalls(messages).map((call) => call.arguments)).toEqual([{}, '{"cut":', [1]]);
  });

  it("DIA-66 reads custom tools and the deprecated single call", () => {
    const custom = {
      role: "assistant",
      tool_calls: [{ id: "1", type: "custom", custom: { name: "sh", input: "ls" } }],
    };
    const deprecated = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };
    expect(fireworks.openToolCalls([custom, deprecated])).toEqual([
      { id: "1", name: "sh", arguments: "ls" },
      { id: "f", name: "f", arguments: {} },
    ]);
    expect(fireworks.openToolCalls([deprecated, { role: "function", name: "f", content: "x" }])).toEqual([]);
  });

  it("DIA-67 answers each call with a message of its own whose content is a string", () => {
    const results = [
      { call: { id: "f:0", name: "f", arguments: {} }, output: "text", is_error: false },
      { call: { id: "f:1", name: "f", arguments: {} }, output: { rows: [1] }, is_error: true },
    ];
    expect(fireworks.toolResultMessages(results)).toEqual([
      { role: "tool", tool_call_id: "f:0", content: "text" },
      { role: "tool", tool_call_id: "f:1", content: '{"rows":[1]}' },
    ]);
  });

  it("DIA-68 reads what the model said, a refusal included, and not its reasoning", () => {
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: "I will look.", reasoning_content: "hm", tool_calls: [] },
      { role: "assistant", content: "" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "It is " },
          { type: "text", text: "4." },
        ],
      },
      { role: "assistant", content: null, refusal: "I cannot say more." },
    ];
    expect(fireworks.outputText(messages)).toBe("I will look.\nIt is 4.\nI cannot say more.");
  });

  it("DIA-69 starts a turn at a user message only", () => {
    const roles = ["system", "developer", "assistant"].map((role) => ({ role, content: "x" }));
    expect([...roles, result("1")].map((message) => fireworks.startsTurn(message))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(fireworks.startsTurn({ role: "user", content: "x" })).toBe(true);
  });

  it("DIA-70 reads the details of a chat completion's usage", () => {
    const raw = {
      prompt_tokens: 100,
      completion_tokens: 40,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 8, audio_tokens: null },
      completion_tokens_details: { reasoning_tokens: 16 },
    };
    expect(fireworks.usage(raw)).toEqual({
      input_tokens: 100,
      output_tokens: 40,
      cache_read_tokens: 64,
      cache_write_tokens: 8,
      reasoning_tokens: 16,
    });
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["content_filter", "content_filter"],
    ["abort", "other"],
    ["constructor", "other"],
  ])("DIA-71 reads finish reason %s as %s", (raw, unified) => {
    expect(fireworks.finishReason(raw)).toEqual({ unified, raw });
  });
});
