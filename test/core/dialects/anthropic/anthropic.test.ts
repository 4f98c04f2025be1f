import { describe, expect, it } from "vitest";
import { anthropic } from "../../../../src/core/dialects/anthropic/index.js";

const call = { type: "tool_use", id: "toolu_1", name: "look", input: { at: "it" } };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "seen" };
const text = (said: string, more: object = {}) => ({ type: "text", text: said, ...more });

describe("writing an Anthropic history", () => {
  it("DIA-5 puts files before the text, each in the block of its kind", () => {
    const message = anthropic.userMessage("Compare.", [
      { mime_type: "Image/JPG", name: "a.jpg", data: "AAAA" },
      { mime_type: "application/pdf", name: "b.pdf", data: "$media:x" },
    ]);
    expect(message).toEqual({
      role: "user",
      content: [
        { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "$media:x" },
          title: "b.pdf",
        },
        { type: "text", text: "Compare." },
      ],
    });
    expect(anthropic.checkMessage(message, 0)).toEqual([]);
  });

  it("DIA-5 leaves blank text beside a file out, and mends half characters", () => {
    const image = { mime_type: "image/png", name: "", data: "AAAA" };
    expect(anthropic.userMessage(" \n", [image]).content).toHaveLength(1);
    expect(anthropic.userMessage("a\uD83Db", []).content).toEqual([{ type: "text", text: "a\uFFFDb" }]);
  });

  it("DIA-6 defines tools with an object schema", () => {
    const schema = { properties: { q: { type: "string" } }, required: ["q"] };
    expect(
      anthropic.toolDefinitions([{ name: "a" }, { name: "b", description: "B.", input_schema: schema }]),
    ).toEqual([
      { name: "a", input_schema: { type: "object" } },
      { name: "b", description: "B.", input_schema: { type: "object", ...schema } },
    ]);
  });

  it("DIA-6 answers a round with one user message, in call order, results as text and errors marked", () => {
    const toolCall = (id: string) => ({ id, name: "look", arguments: {} });
    expect(
      anthropic.toolResultMessages([
        { call: toolCall("1"), output: "seen", is_error: false },
        { call: toolCall("2"), output: { found: 2 }, is_error: true },
        { call: toolCall("3"), output: "", is_error: false },
      ]),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "seen" },
          { type: "tool_result", tool_use_id: "2", content: '{"found":2}', is_error: true },
          { type: "tool_result", tool_use_id: "3" },
        ],
      },
    ]);
    expect(anthropic.toolResultMessages([])).toEqual([]);
  });
});

describe("reading an Anthropic history", () => {
  it.each([
    ["a string from the user", { role: "user", content: "Hello" }, true],
    ["text from the user", { role: "user", content: [text("Hello")] }, true],
    ["text beside a tool's result", { role: "user", content: [result, text("And?")] }, true],
    ["tool results only", { role: "user", content: [result] }, false],
    ["the model's answer", { role: "assistant", content: "Hi" }, false],
    ["system text", { role: "system", content: "Be brief." }, false],
    ["what is no message", { role: "user" }, false],
  ])("DIA-7 finds where a user's turn starts: %s", (_what, message, starts) => {
    expect(anthropic.startsTurn(message)).toBe(starts);
  });

  it("DIA-8 reads the model's visible text: cited pieces as one, others on lines of their own", () => {
    const thinking = { type: "thinking", thinking: "secret", signature: "s" };
    expect(
      anthropic.outputText([
        { role: "user", content: "What?" },
        { role: "assistant", content: [thinking, text("I look."), call] },
        { role: "user", content: [result] },
        { role: "assistant", content: [text("It is "), text("blue", { citations: [{}] }), text(".")] },
        {
          role: "assistant",
          content: [text("First."), { type: "server_tool_use", id: "s" }, text("Second.")],
        },
        { role: "assistant", content: "" },
      ]),
    ).toBe("I look.\nIt is blue.\nFirst.\nSecond.");
  });

  it("DIA-9 finds the calls that no result answers, server-run ones left out", () => {
    const second = { ...call, id: "toolu_2" };
    const server = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const asked = { role: "assistant", content: [server, call, second] };
    expect(anthropic.openToolCalls([asked])).toEqual([
      { id: "toolu_1", name: "look", arguments: { at: "it" } },
      { id: "toolu_2", name: "look", arguments: { at: "it" } },
    ]);
    expect(anthropic.openToolCalls([asked, { role: "user", content: [result] }])).toEqual([
      { id: "toolu_2", name: "look", arguments: { at: "it" } },
    ]);
  });

  it("DIA-10 counts cached input as input, and thinking as output", () => {
    expect(
      anthropic.usage({
        input_tokens: 10,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 30,
        output_tokens: 50,
        output_tokens_details: { thinking_tokens: 40 },
      }),
    ).toEqual({
      input_tokens: 240,
      output_tokens: 50,
      cache_read_tokens: 200,
      cache_write_tokens: 30,
      reasoning_tokens: 40,
    });
  });

  it.each([[undefined], [null], [{}], [{ input_tokens: null, output_tokens_details: null }]])(
    "DIA-10 counts what is absent as 0: %j",
    (raw) => {
      expect(Object.values(anthropic.usage(raw))).toEqual([0, 0, 0, 0, 0]);
    },
  );

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool_calls"],
    ["refusal", "content_filter"],
    ["pause_turn", "other"],
    ["toString", "other"],
  ] as const)("DIA-11 unifies the stop reason %s", (raw, unified) => {
    expect(anthropic.finishReason(raw)).toEqual({ unified, raw });
  });

  it("DIA-11 has null for a reason that was not given", () => {
    expect(anthropic.finishReason(undefined)).toEqual({ unified: "other", raw: null });
  });

  it("DIA-12 takes images, PDF and text as attachments, and keeps system text beside the history", () => {
    expect(anthropic.capabilities).toEqual({
      endpoint: "anthropic-messages",
      attachments: [
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "application/pdf",
        "text/*",
        "application/json",
        "application/xml",
      ],
      systemInHistory: false,
    });
  });
});
