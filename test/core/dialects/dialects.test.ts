/** What every dialect must do: one test body, and what it comes to on each wire. */
import { describe, expect, it } from "vitest";
import type { FilePart, ToolCall } from "../../../src/core/dialects/dialect.js";
import { DIALECTS } from "../../../src/core/dialects/index.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import type { JsonObject } from "../../../src/core/json.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { deepFreeze } from "./deep-freeze.js";

const MARKER = `$media:${"a".repeat(64)}.png`;
const image: FilePart = { mime_type: "image/png", name: "plan.png", data: "iVBORw==" };
const schema = { type: "object", properties: { q: { type: "string" } } };
const usage = {
  input_tokens: 100,
  output_tokens: 40,
  cache_read_tokens: 64,
  cache_write_tokens: 0,
  reasoning_tokens: 16,
};

interface Expectation {
  /** A plain question, and one with a picture. */
  readonly question: NativeMessage;
  readonly withImage: NativeMessage;
  readonly imagePath: string;
  readonly tool: JsonObject;
  /** The model says "I look." and calls `lookup` twice, in messages of the wire. */
  readonly calls: readonly NativeMessage[];
  readonly results: readonly NativeMessage[];
  /** The model's answer "Clause 4." after reasoning. */
  readonly answer: readonly NativeMessage[];
  readonly system: boolean;
  readonly rawUsage: JsonObject;
  readonly finish: { readonly stop: string; readonly length: string; readonly content_filter: string };
  readonly pdf: boolean;
}

const EXPECTED: Readonly<Record<DialectName, Expectation>> = deepFreeze({
  anthropic: {
    question: { role: "user", content: [{ type: "text", text: "Clause 4?" }] },
    withImage: {
      role: "user",
      content: [
        { type: "image", source: { type: "base64", media_type: "image/png", data: image.data } },
        { type: "text", text: "Clause 4?" },
      ],
    },
    imagePath: "content.0.source.data",
    tool: { name: "lookup", description: "Looks up.", input_schema: schema },
    calls: [
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "1", name: "lookup", input: { q: "a" } },
          { type: "tool_use", id: "2", name: "lookup", input: { q: "b" } },
        ],
      },
    ],
    results: [
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "found" },
          { type: "tool_result", tool_use_id: "2", content: "nothing", is_error: true },
        ],
      },
    ],
    answer: [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "AQID" },
          { type: "text", text: "Clause 4." },
        ],
      },
    ],
    system: false,
    rawUsage: {
      input_tokens: 36,
      cache_read_input_tokens: 64,
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 16 },
    },
    finish: { stop: "end_turn", length: "max_tokens", content_filter: "refusal" },
    pdf: true,
  },
  openai: {
    question: { type: "message", role: "user", content: [{ type: "input_text", text: "Clause 4?" }] },
    withImage: {
      type: "message",
      role: "user",
      content: [
        { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${image.data}` },
        { type: "input_text", text: "Clause 4?" },
      ],
    },
    imagePath: "content.0.image_url",
    tool: { type: "function", name: "lookup", description: "Looks up.", parameters: schema, strict: false },
    calls: [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "1", name: "lookup", arguments: '{"q":"a"}' },
      { type: "function_call", call_id: "2", name: "lookup", arguments: '{"q":"b"}' },
    ],
    results: [
      { type: "function_call_output", call_id: "1", output: "found" },
      { type: "function_call_output", call_id: "2", output: "nothing" },
    ],
    answer: [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Clause 4." }] },
    ],
    system: true,
    rawUsage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 16 },
    },
    finish: { stop: "completed", length: "max_output_tokens", content_filter: "content_filter" },
    pdf: true,
  },
  google: {
    question: { role: "user", parts: [{ text: "Clause 4?" }] },
    withImage: {
      role: "user",
      parts: [{ inlineData: { mimeType: "image/png", data: image.data } }, { text: "Clause 4?" }],
    },
    imagePath: "parts.0.inlineData.data",
    tool: {
      functionDeclarations: [{ name: "lookup", description: "Looks up.", parametersJsonSchema: schema }],
    },
    calls: [
      {
        role: "model",
        parts: [
          { text: "I look." },
          { functionCall: { id: "1", name: "lookup", args: { q: "a" } }, thoughtSignature: "AQID" },
          { functionCall: { id: "2", name: "lookup", args: { q: "b" } } },
        ],
      },
    ],
    results: [
      {
        role: "user",
        parts: [
          { functionResponse: { id: "1", name: "lookup", response: { output: "found" } } },
          { functionResponse: { id: "2", name: "lookup", response: { error: "nothing" } } },
        ],
      },
    ],
    answer: [{ role: "model", parts: [{ text: "hm", thought: true }, { text: "Clause 4." }] }],
    system: false,
    rawUsage: {
      promptTokenCount: 100,
      cachedContentTokenCount: 64,
      candidatesTokenCount: 24,
      thoughtsTokenCount: 16,
    },
    finish: { stop: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" },
    pdf: true,
  },
  fireworks: {
    question: { role: "user", content: "Clause 4?" },
    withImage: {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: `data:image/png;base64,${image.data}` } },
        { type: "text", text: "Clause 4?" },
      ],
    },
    imagePath: "content.0.image_url.url",
    tool: {
      type: "function",
      function: { name: "lookup", description: "Looks up.", parameters: schema },
    },
    calls: [
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "1", type: "function", function: { name: "lookup", arguments: '{"q":"a"}' } },
          { id: "2", type: "function", function: { name: "lookup", arguments: '{"q":"b"}' } },
        ],
      },
    ],
    results: [
      { role: "tool", tool_call_id: "1", content: "found" },
      { role: "tool", tool_call_id: "2", content: "nothing" },
    ],
    answer: [{ role: "assistant", content: "Clause 4.", reasoning_content: "hm" }],
    system: true,
    rawUsage: {
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens: 40,
      completion_tokens_details: { reasoning_tokens: 16 },
    },
    finish: { stop: "stop", length: "length", content_filter: "content_filter" },
    pdf: false,
  },
});

const calls: readonly [ToolCall, ToolCall] = [
  { id: "1", name: "lookup", arguments: { q: "a" } },
  { id: "2", name: "lookup", arguments: { q: "b" } },
];
const results = [
  { call: calls[0], output: "found", is_error: false },
  { call: calls[1], output: "nothing", is_error: true },
];

describe.each(DIALECT_NAMES)("the dialect %s", (name) => {
  const dialect = DIALECTS[name];
  const expected = EXPECTED[name];
  const turn = [expected.question, ...expected.calls, ...expected.results, ...expected.answer];

  it("DIA-80 writes a question, files before the text", () => {
    expect(dialect.name).toBe(name);
    expect(dialect.userMessage("Clause 4?", [])).toEqual(expected.question);
    expect(dialect.userMessage("Clause 4?", [image])).toEqual(expected.withImage);
  });

  it("DIA-81 writes no blank text beside a file, and U+FFFD for half a character", () => {
    expect(JSON.stringify(dialect.userMessage(" \n", [image]))).not.toMatch(/"text":/);
    expect(JSON.stringify(dialect.userMessage("a\ud800b", []))).toContain("a\ufffdb");
  });

  it("DIA-82 takes its own messages for messages, and no foreign value", () => {
    const issues = [...turn, expected.withImage].flatMap((message, index) =>
      dialect.checkMessage(message, index),
    );
    expect(issues).toEqual([]);
    for (const value of [undefined, null, 7, "text", [], {}, { role: "nobody", content: "x" }]) {
      expect(dialect.checkMessage(value, 3)).toContainEqual(expect.objectContaining({ index: 3 }));
    }
  });

  it("DIA-83 shows an attached file's bytes once, and puts back what took their place", () => {
    const slots: unknown[] = [];
    const marked = dialect.mapMedia(expected.withImage, (slot) => {
      slots.push(slot);
      return MARKER;
    });
    expect(slots).toEqual([
      { kind: "image", mime_type: "image/png", data: image.data, path: expected.imagePath },
    ]);
    expect(marked).toEqual(dialect.userMessage("Clause 4?", [{ ...image, data: MARKER }]));
    expect(dialect.mapMedia(marked, () => image.data)).toEqual(expected.withImage);
  });

  it("DIA-83 gives back the very same message when nothing changes", () => {
    for (const message of [...turn, expected.withImage]) {
      expect(dialect.mapMedia(message, ({ data }) => data)).toBe(message);
    }
  });

  it("DIA-84 defines tools, and answers a round of calls in their order", () => {
    const tool = { name: "lookup", description: "Looks up.", input_schema: schema };
    expect(dialect.toolDefinitions([tool])).toEqual([expected.tool]);
    expect(dialect.toolDefinitions([])).toEqual([]);
    expect(dialect.toolResultMessages(results)).toEqual(expected.results);
    expect(dialect.toolResultMessages([])).toEqual([]);
  });

  it("DIA-85 finds the calls that are still open", () => {
    expect(dialect.openToolCalls([expected.question, ...expected.calls])).toEqual(calls);
    expect(
      dialect.openToolCalls([...expected.calls, ...dialect.toolResultMessages(results.slice(0, 1))]),
    ).toEqual([calls[1]]);
    expect(dialect.openToolCalls(turn)).toEqual([]);
  });

  it("DIA-86 starts a turn at the user's question only", () => {
    expect(turn.filter((message) => dialect.startsTurn(message))).toEqual([expected.question]);
    expect(dialect.startsTurn(expected.withImage)).toBe(true);
  });

  it("DIA-87 reads the visible answer, messages on lines of their own, and never the reasoning", () => {
    expect(dialect.outputText(turn)).toBe("I look.\nClause 4.");
    expect(dialect.outputText([])).toBe("");
  });

  it("DIA-88 counts all input and all output, their parts beside them, and 0 for what is absent", () => {
    expect(dialect.usage(expected.rawUsage)).toEqual(usage);
    const none = Object.fromEntries(Object.keys(usage).map((field) => [field, 0]));
    for (const raw of [undefined, null, {}, "many"]) expect(dialect.usage(raw)).toEqual(none);
  });

  it("DIA-89 unifies finish reasons beside the provider's own word", () => {
    for (const [unified, raw] of Object.entries(expected.finish)) {
      expect(dialect.finishReason(raw)).toEqual({ unified, raw });
    }
    expect(dialect.finishReason("of next year")).toEqual({ unified: "other", raw: "of next year" });
    for (const absent of [null, undefined]) {
      expect(dialect.finishReason(absent)).toEqual({ unified: "other", raw: null });
    }
  });

  it("DIA-90 says what may be attached and where system text lives", () => {
    const { attachments, systemInHistory } = dialect.capabilities;
    expect(attachments).toEqual(expect.arrayContaining(["image/png", "image/jpeg"]));
    expect(attachments.includes("application/pdf")).toBe(expected.pdf);
    expect(attachments.includes("image/webp")).toBe(expected.pdf);
    expect(systemInHistory).toBe(expected.system);
  });
});
