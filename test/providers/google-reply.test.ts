import { describe, expect, it } from "vitest";
import { providerFailure } from "../../src/providers/failure.js";
import { type GoogleChunk, GoogleReply } from "../../src/providers/google-reply.js";
import type { ModelReply } from "../../src/providers/provider.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

const context = { provider: "google", model: "gemini-3.5-flash-lite" } as const;

function collect(...chunks: readonly GoogleChunk[]): ModelReply & { readonly told: readonly string[] } {
  const told: string[] = [];
  const signal = new AbortController().signal;
  const reply = new GoogleReply({
    signal,
    onText: (text) => told.push(text),
    onReasoning: (text) => told.push(`(${text})`),
  });
  for (const chunk of chunks) reply.add(deepFreeze(chunk));
  return { ...reply.end({ ...context, signal }), told };
}

const chunk = (parts: readonly object[], finishReason?: string): GoogleChunk => ({
  candidates: [{ content: { parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
});

describe("GoogleReply", () => {
  it("PRV-50 merges neighbouring pieces of text, thoughts apart from the answer", () => {
    const { messages, told } = collect(
      chunk([{ text: "Let me ", thought: true }]),
      chunk([{ text: "see.", thought: true }, { text: "Clause " }]),
      chunk([{ text: "4." }], "STOP"),
    );
    expect(messages).toEqual([
      { role: "model", parts: [{ text: "Let me see.", thought: true }, { text: "Clause 4." }] },
    ]);
    expect(told).toEqual(["(Let me )", "(see.)", "Clause ", "4."]);
  });

  it("PRV-50 keeps a character that was cut in two whole, and makes half a one U+FFFD", () => {
    const { messages } = collect(chunk([{ text: "a\ud83d" }]), chunk([{ text: "\ude00b\ud83d" }], "STOP"));
    expect(messages[0]?.parts).toEqual([{ text: "a\u{1f600}b\ufffd" }]);
  });

  it("PRV-51 never merges a part that carries a signature, and leaves the signature where it was", () => {
    const parts = [
      { text: "a", thoughtSignature: "AQID" },
      { text: "b" },
      { text: "c", thoughtSignature: "BAUG" },
      { functionCall: { name: "f", args: { x: 1 }, id: "1" }, thoughtSignature: "CQkJ" },
      { functionCall: { name: "g", args: {} } },
    ];
    expect(collect(...parts.map((part) => chunk([part])), chunk([], "STOP")).messages).toEqual([
      { role: "model", parts },
    ]);
  });

  it("PRV-51 keeps a signature that came with an empty text or alone, as a part that can be sent", () => {
    const { messages } = collect(
      chunk([{ text: "hi" }, { text: "" }, {}]),
      chunk([{ text: "", thoughtSignature: "AQID" }, { thoughtSignature: "BAUG" }], "STOP"),
    );
    expect(messages).toEqual([
      {
        role: "model",
        parts: [
          { text: "hi" },
          { text: "", thoughtSignature: "AQID" },
          { text: "", thoughtSignature: "BAUG" },
        ],
      },
    ]);
  });

  it("PRV-52 keeps parts of every other kind whole", () => {
    const parts = [
      { executableCode: { code: "1+1", language: "PYTHON" } },
      { inlineData: { mimeType: "image/png", data: "iVBORw==" } },
      { holodeck: { program: 7 } },
    ];
    expect(collect(chunk(parts, "STOP")).messages).toEqual([{ role: "model", parts }]);
  });

  it("PRV-53 says that a reply with calls ended for them", () => {
    const calls = chunk([{ functionCall: { name: "f", args: {} } }], "STOP");
    expect(collect(calls).finish_reason).toEqual({ unified: "tool_calls", raw: "STOP" });
    expect(collect(chunk([{ text: "x" }], "MAX_TOKENS")).finish_reason).toEqual({
      unified: "length",
      raw: "MAX_TOKENS",
    });
  });

  it("PRV-54 takes the last running totals and the version of the model that answered", () => {
    const reply = collect(
      { ...chunk([{ text: "x" }]), usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1 } },
      {
        ...chunk([], "STOP"),
        usageMetadata: { candidatesTokenCount: 5, thoughtsTokenCount: 2 },
        modelVersion: "gemini-3.5-flash-lite-001",
      },
    );
    expect(reply.raw_usage).toEqual({
      promptTokenCount: 9,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
    });
    expect(reply.usage.output_tokens).toBe(7);
    expect(reply.model).toBe("gemini-3.5-flash-lite-001");
    expect(collect(chunk([{ text: "x" }], "STOP")).model).toBe(context.model);
  });

  it("PRV-55 leaves no message when the model said nothing", () => {
    expect(collect(chunk([{ text: "" }], "STOP")).messages).toEqual([]);
    expect(collect(chunk([{ text: "", thoughtSignature: "AQID" }], "STOP")).messages).toEqual([]);
    expect(collect({ candidates: [{ finishReason: "STOP" }] }).finish_reason.unified).toBe("stop");
  });

  it("PRV-56 fails as refused when the prompt was blocked, or the answer before its first word", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "dangerous" } };
    expect(() => collect(blocked)).toThrow(
      providerFailure("content_refused", context, "the prompt was blocked, SAFETY: dangerous"),
    );
    expect(() => collect(chunk([{ text: "hm", thought: true }], "PROHIBITED_CONTENT"))).toThrow(
      expect.objectContaining({ kind: "content_refused", retryable: false }),
    );
  });

  it("PRV-56 keeps what was said before the filter, and says so", () => {
    const reply = collect(chunk([{ text: "Once upon" }]), chunk([], "SAFETY"));
    expect(reply.messages).toEqual([{ role: "model", parts: [{ text: "Once upon" }] }]);
    expect(reply.finish_reason).toEqual({ unified: "content_filter", raw: "SAFETY" });
  });

  it("PRV-57 fails as cut without a finish reason, and as malformed where the model went wrong wordlessly", () => {
    expect(() => collect(chunk([{ text: "Once" }]))).toThrow(
      expect.objectContaining({ kind: "stream_cut", retryable: true }),
    );
    expect(() => collect(chunk([], "MALFORMED_FUNCTION_CALL"))).toThrow(
      expect.objectContaining({ kind: "malformed_reply", retryable: true }),
    );
  });
});
