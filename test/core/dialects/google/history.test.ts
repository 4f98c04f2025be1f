import { describe, expect, it } from "vitest";
import { google } from "../../../../src/core/dialects/google/index.js";
import { deepFreeze } from "../deep-freeze.js";

const call = (name: string, id?: string) => ({
  role: "model",
  parts: [{ functionCall: { name, args: { of: name }, ...(id === undefined ? {} : { id }) } }],
});
const response = (name: string, id?: string) => ({
  role: "user",
  parts: [{ functionResponse: { name, response: { output: "x" }, ...(id === undefined ? {} : { id }) } }],
});

describe("a Gemini history", () => {
  it("DIA-55 carries an attached file as inlineData without a display name", () => {
    const marker = `$media:${"0".repeat(64)}.wav`;
    expect(
      google.userMessage("How long?", [{ mime_type: "audio/wav", name: "clip.wav", data: marker }]),
    ).toEqual({
      role: "user",
      parts: [{ inlineData: { mimeType: "audio/wav", data: marker } }, { text: "How long?" }],
    });
  });

  it("DIA-55 has no part for an empty text", () => {
    const parts = google.userMessage("", [{ mime_type: "image/png", name: "a.png", data: "AA==" }]).parts;
    expect(parts).toEqual([{ inlineData: { mimeType: "image/png", data: "AA==" } }]);
  });

  it("DIA-56 matches a response without an id to the first open call of its name", () => {
    const messages = deepFreeze([
      { role: "model", parts: [...call("a").parts, ...call("b").parts, ...call("a").parts] },
      response("a"),
    ]);
    expect(google.openToolCalls(messages).map(({ id, name }) => [id, name])).toEqual([
      ["holdfast-call-1", "b"],
      ["holdfast-call-2", "a"],
    ]);
  });

  it("DIA-56 leaves a call open while its responses continue", () => {
    const part = { functionResponse: { name: "a", id: "1", response: {}, willContinue: true } };
    expect(google.openToolCalls([call("a", "1"), { role: "user", parts: [part] }])).toHaveLength(1);
    expect(google.openToolCalls([call("a", "1"), response("a", "1")])).toEqual([]);
  });

  it("DIA-57 answers a call that came without an id without one", () => {
    const open = google.openToolCalls([call("lookup"), call("lookup", "native-7")]);
    const results = open.map((made, index) => ({ call: made, output: index, is_error: index === 1 }));
    expect(google.toolResultMessages(results)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { name: "lookup", response: { output: 0 } } },
          { functionResponse: { id: "native-7", name: "lookup", response: { error: 1 } } },
        ],
      },
    ]);
  });

  it("DIA-57 writes no message for no results and no tool for no tools", () => {
    expect(google.toolResultMessages([])).toEqual([]);
    expect(google.toolDefinitions([])).toEqual([]);
  });

  it("DIA-58 joins the pieces of one answer without a break and leaves thoughts out", () => {
    const parts = [{ text: "hmm", thought: true }, { text: "Clause 4 is ab" }, { text: "out payment." }];
    expect(google.outputText([{ role: "model", parts }])).toBe("Clause 4 is about payment.");
  });

  it("DIA-59 starts a turn at a user content that holds more than responses", () => {
    const mixed = { role: "user", parts: [...response("a").parts, { text: "and now?" }] };
    expect(google.startsTurn(mixed)).toBe(true);
    expect(google.startsTurn({ role: "assistant", parts: [] })).toBe(false);
  });

  it("DIA-60 counts thoughts as output and results of Google's own tools as input", () => {
    const raw = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 64,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 12,
      totalTokenCount: 162,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 100 }],
    };
    expect(google.usage(raw)).toEqual({
      input_tokens: 120,
      output_tokens: 42,
      cache_read_tokens: 64,
      cache_write_tokens: 0,
      reasoning_tokens: 12,
    });
  });

  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "error"],
    ["OTHER", "other"],
    ["A_REASON_OF_NEXT_YEAR", "other"],
    ["toString", "other"],
  ])("DIA-61 reads finish reason %s as %s", (raw, unified) => {
    expect(google.finishReason(raw)).toEqual({ unified, raw });
  });
});
