import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { FireworksReply } from "../../src/providers/fireworks-reply.js";
import type { ModelReply } from "../../src/providers/provider.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

type Collected = ModelReply & { readonly told: readonly string[] };

function collect(chunks: readonly unknown[], history: readonly JsonObject[] = []): Collected {
  const told: string[] = [];
  const signal = new AbortController().signal;
  const context = { provider: "fireworks", model: "accounts/fireworks/models/kimi", signal } as const;
  const reply = new FireworksReply(history, {
    signal,
    onText: (text) => told.push(text),
    onReasoning: (text) => told.push(`(${text})`),
  });
  for (const chunk of chunks) reply.add(deepFreeze(chunk), context);
  return { ...reply.end(context), told };
}

const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const end = (finish = "stop") => chunk({}, finish);
const callDelta = (index: number | undefined, fields: JsonObject) =>
  chunk({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...fields }] });

describe("FireworksReply", () => {
  it("PRV-58 puts text and reasoning together to one assistant message", () => {
    const { messages, told } = collect([
      chunk({ role: "assistant", content: null, reasoning_content: "Let me " }),
      chunk({ reasoning_content: "see." }),
      chunk({ content: "Clause " }),
      chunk({ content: "4." }),
      end(),
    ]);
    expect(messages).toEqual([{ role: "assistant", content: "Clause 4.", reasoning_content: "Let me see." }]);
    expect(told).toEqual(["(Let me )", "(see.)", "Clause ", "4."]);
  });

  it("PRV-58 gives reasoning back under the name it came with, once", () => {
    const { messages, told } = collect([
      chunk({ reasoning: "hm", reasoning_details: [{ text: "hm" }] }),
      chunk({ content: "4", reasoning_content: "other" }),
      end(),
    ]);
    expect(messages).toEqual([{ role: "assistant", content: "4", reasoning: "hm" }]);
    expect(told).toEqual(["(hm)", "4"]);
  });

  it("PRV-58 keeps a character that was cut in two whole, and makes half a one U+FFFD", () => {
    const pieces = [chunk({ content: "a\ud83d" }), chunk({ content: "\ude00b\ud83d" }), end()];
    expect(collect(pieces).messages[0]?.content).toBe("a\u{1f600}b\ufffd");
  });

  it("PRV-59 puts the pieces of side by side calls together, content null beside them", () => {
    const { messages, finish_reason } = collect([
      callDelta(0, { id: "f:0", type: "function", function: { name: "f", arguments: "" } }),
      callDelta(0, { function: { arguments: '{"x"' } }),
      callDelta(1, { id: "g:1", type: "function", function: { name: "g", arguments: "" } }),
      callDelta(0, { function: { arguments: ":1}" } }),
      end("tool_calls"),
    ]);
    expect(messages).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "f:0", type: "function", function: { name: "f", arguments: '{"x":1}' } },
          { id: "g:1", type: "function", function: { name: "g", arguments: "{}" } },
        ],
      },
    ]);
    expect(finish_reason).toEqual({ unified: "tool_calls", raw: "tool_calls" });
  });

  it("PRV-59 tells calls apart by their ids where a server gives all of them one index or none", () => {
    const whole = (id: string, index?: number) =>
      callDelta(index, { id, function: { name: "f", arguments: "{}" } });
    const ids = (...chunks: readonly unknown[]) => {
      const calls = collect([...chunks, end("tool_calls")]).messages[0]?.tool_calls;
      return (calls as readonly JsonObject[] | undefined)?.map(({ id }) => id);
    };
    expect(ids(whole("a", 0), whole("b", 0))).toEqual(["a", "b"]);
    expect(ids(whole("a"), whole("b"))).toEqual(["a", "b"]);
  });

  it("PRV-60 makes an id for a call without one, that the conversation does not have yet", () => {
    const history = [{ role: "assistant", content: null, tool_calls: [{ id: "call_0" }, { id: "call_1" }] }];
    const nameless = callDelta(0, { function: { name: "f", arguments: "{}" } });
    expect(collect([nameless, end("tool_calls")], history).messages[0]?.tool_calls).toEqual([
      { id: "call_2", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
  });

  it("PRV-61 leaves out the call that was being written when the length ran out", () => {
    const begun = callDelta(0, { id: "1", function: { name: "f", arguments: '{"x": "lo' } });
    expect(collect([chunk({ content: "I look." }), begun, end("length")]).messages).toEqual([
      { role: "assistant", content: "I look." },
    ]);
  });

  it("PRV-62 keeps an empty answer as an empty string", () => {
    expect(collect([end()]).messages).toEqual([{ role: "assistant", content: "" }]);
  });

  it("PRV-62 keeps a refusal as the answer, and tells it", () => {
    const { messages, told } = collect([chunk({ refusal: "I can" }), chunk({ refusal: "not." }), end()]);
    expect(messages).toEqual([{ role: "assistant", content: "", refusal: "I cannot." }]);
    expect(told).toEqual(["I can", "not."]);
  });

  it("PRV-63 takes usage from a chunk without choices, and the model that answered", () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    const reply = collect([
      { ...chunk({ content: "x" }), model: "kimi-k3-0905", usage: null },
      end(),
      { choices: [], usage },
    ]);
    expect(reply.raw_usage).toEqual(usage);
    expect(reply.usage.input_tokens).toBe(9);
    expect(reply.model).toBe("kimi-k3-0905");
  });

  it("PRV-64 fails as refused when the filter let nothing through, and keeps what it let through", () => {
    expect(() => collect([end("content_filter")])).toThrow(
      expect.objectContaining({ kind: "content_refused", retryable: false }),
    );
    const reply = collect([chunk({ content: "Once" }), end("content_filter")]);
    expect(reply.finish_reason).toEqual({ unified: "content_filter", raw: "content_filter" });
  });

  it("PRV-65 fails as cut without a finish reason, and as malformed at a chunk that is none", () => {
    expect(() => collect([chunk({ content: "Once" })])).toThrow(
      expect.objectContaining({ kind: "stream_cut", retryable: true }),
    );
    expect(() => collect([null])).toThrow(
      expect.objectContaining({ kind: "malformed_reply", retryable: true }),
    );
  });
});
