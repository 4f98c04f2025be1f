import { describe, expect, it } from "vitest";
import { answerText } from "../../../src/core/dialects/answer-text.js";
import { DIALECTS, dialectFor } from "../../../src/core/dialects/index.js";
import { resultMessages } from "../../../src/core/dialects/result-messages.js";
import { DIALECT_NAMES, resolveModel } from "../../../src/core/providers.js";

const MODELS = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-6-luna",
  google: "gemini-3.5-flash-lite",
  fireworks: "accounts/fireworks/models/kimi-k3",
} as const;

const marker = (extension: string): string => `$media:${"a".repeat(64)}.${extension}`;
const png = { marker: marker("png"), mime_type: "image/png", size_bytes: 70, name: "a.png" };
const wav = { marker: marker("wav"), mime_type: "audio/wav", size_bytes: 70, name: "a.wav" };
const call = { id: "toolu_1", name: "draw" };

describe.each(DIALECT_NAMES)("the results of a round in %s", (dialect) => {
  const model = resolveModel(MODELS[dialect]);

  it("TOL-7 are the dialect's own messages where all is text", () => {
    const results = [
      { call, output: "one", is_error: false },
      { call: { ...call, id: "toolu_2" }, output: { two: 2 }, is_error: true },
    ];
    expect(resultMessages(model, results)).toEqual(DIALECTS[dialect].toolResultMessages(results));
  });

  it("TOL-16 have a file as a medium that is found again, and are valid", () => {
    const messages = resultMessages(model, [
      { call, output: "Here.", is_error: false, files: [png] },
      { call: { ...call, id: "toolu_2" }, output: "", is_error: false },
    ]);
    const slots: string[] = [];
    for (const [index, message] of messages.entries()) {
      expect(DIALECTS[dialect].checkMessage(message, index)).toEqual([]);
      DIALECTS[dialect].mapMedia(message, ({ data }) => {
        slots.push(data);
        return data;
      });
    }
    expect(slots).toEqual([png.marker]);
    expect(DIALECTS[dialect].hasToolResults(messages[0] ?? {})).toBe(true);
  });

  it("TOL-9 name a file that the provider does not take, or not of that size", () => {
    const large = { ...png, size_bytes: 3 * 1024 ** 3 };
    const text = JSON.stringify(
      resultMessages(model, [{ call, output: "Here.", is_error: false, files: [wav, large] }]),
    );
    expect(text).toMatch(/"Here\.\\n\[left out: /);
    expect(text).toMatch(/\[left out: a\.png \(image\/png\) has \d+/);
    expect(text).not.toContain(large.marker);
    if (dialect === "google") expect(text).toContain(wav.marker);
    else expect(text).toMatch(/\[left out: .*does not take a\.wav/);
  });
});

describe("a call without an id of Gemini", () => {
  it("TOL-16 is answered without one, also where the result has a file", () => {
    const results = [
      { call: { id: "holdfast-call-0", name: "draw" }, output: "", is_error: false, files: [png] },
    ];
    const text = JSON.stringify(resultMessages(resolveModel(MODELS.google), results));
    expect(text).toContain('"functionResponse":{"name":"draw"');
  });
});

describe("a free-form call of OpenAI", () => {
  it("TOL-44 is answered in its own kind", () => {
    const [open] = dialectFor("openai").openToolCalls([
      { type: "custom_tool_call", call_id: "c1", name: "sql", input: "SELECT 1" },
    ]);
    expect(open).toEqual({ id: "c1", name: "sql", arguments: "SELECT 1", answer: "custom_tool_call_output" });
    for (const files of [[], [png]]) {
      const result = {
        call: { id: "c1", name: "sql", answer: "custom_tool_call_output" },
        output: "1",
        is_error: false,
      };
      const messages = resultMessages(resolveModel(MODELS.openai), [{ ...result, files }]);
      expect(messages).toMatchObject([{ type: "custom_tool_call_output", call_id: "c1" }]);
    }
  });
});

describe("answerText", () => {
  it("TOL-43 is what the model said after the last results", () => {
    const dialect = dialectFor("anthropic");
    const round = (text: string) => [
      {
        role: "assistant",
        content: [
          { type: "text", text },
          { type: "tool_use", id: "a", name: "b", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "c" }] },
    ];
    const last = { role: "assistant", content: [{ type: "text", text: "The answer." }] };
    const question = { role: "user", content: "Hi" };
    expect(answerText(dialect, [question, ...round("One moment."), ...round("And one."), last])).toBe(
      "The answer.",
    );
    expect(answerText(dialect, [question, last])).toBe("The answer.");
    expect(answerText(dialect, [question, ...round("One moment.")])).toBe("");
  });
});
