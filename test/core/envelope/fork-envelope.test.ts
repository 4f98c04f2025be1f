import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import { convertEnvelope } from "../../../src/core/envelope/convert-envelope.js";
import type { Envelope, NativeMessage } from "../../../src/core/envelope/envelope.js";
import { forkEnvelope } from "../../../src/core/envelope/fork-envelope.js";
import { readEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { sealEnvelope } from "../../../src/core/envelope/serialise-envelope.js";
import { SessionCompatibilityError, UsageError } from "../../../src/core/errors/errors.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { fullEnvelope, SAMPLE_MODELS, sampleEnvelope } from "../../support/envelope-samples.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const OPEN_CALL: Readonly<Record<DialectName, NativeMessage>> = {
  anthropic: { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
  openai: { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
  google: { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
  fireworks: {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
  },
};

/** Two whole turns and a third that stops at a call, its index as given. */
function endingInside(dialect: DialectName, indexed: boolean): Envelope {
  const whole = sampleEnvelope(dialect, 3);
  const messages = [...whole.messages.slice(0, 5), OPEN_CALL[dialect]];
  return { ...whole, messages, ...(indexed ? {} : { turn_index: [] }) };
}

const other = (dialect: DialectName): DialectName => (dialect === "openai" ? "anthropic" : "openai");

describe("forkEnvelope", () => {
  it.each([2, "turn-2"])("ENV-40 has the first turns and all that belongs to them: at %s", (at) => {
    const envelope = deepFreeze(sampleEnvelope("anthropic", 4));
    const fork = forkEnvelope(envelope, at);
    expect(fork.messages).toEqual(envelope.messages.slice(0, 4));
    expect(fork.turn_index.map(({ turn_id }) => turn_id)).toEqual(["turn-1", "turn-2"]);
    expect(fork.metadata.run_count).toBe(2);
    expect(fork.accounting.turns.map(({ turn_id }) => turn_id)).toEqual(["turn-1", "turn-2"]);
    expect(fork.accounting.totals).toMatchObject({
      turns: 2,
      provider_calls: 2,
      usage: { input_tokens: 20 },
    });
    expect(readEnvelope(sealEnvelope(fork)).envelope).toMatchObject({ model: envelope.model });
  });

  it("ENV-40 drops the old checksum, so that the fork can be read as it is", () => {
    const fork = forkEnvelope(sealEnvelope(sampleEnvelope("openai", 2)), 1);
    expect(readEnvelope(fork).envelope.metadata.run_count).toBe(1);
  });

  it("ENV-40 has the served models of its turns, the one that goes on last", () => {
    const [start] = sampleEnvelope("anthropic", 3).metadata.served_models;
    const from = { provider: "anthropic", model: "claude-haiku-4-5" };
    const rebind = { ...start, event: "rebind", model: "claude-opus-5-5", turn: 2, from };
    const envelope = sampleEnvelope("anthropic", 3, {
      model: "claude-opus-5-5",
      metadata: { run_count: 3, served_models: [start, rebind], note: "kept" },
    });
    expect(forkEnvelope(envelope, 2).metadata).toEqual({
      run_count: 2,
      served_models: [start, rebind],
      note: "kept",
    });
    expect(forkEnvelope(envelope, 1).metadata.served_models).toEqual([start, { ...rebind, turn: 1 }]);
  });

  it("ENV-40 may have no turn at all, and then holds what stands before the first one", () => {
    const whole = sampleEnvelope("openai", 2);
    const messages = [{ role: "developer", content: "Be brief." }, ...whole.messages];
    const fork = forkEnvelope({ ...whole, messages, turn_index: [] }, 0);
    expect(fork.messages).toEqual(messages.slice(0, 1));
    expect([fork.turn_index, fork.metadata.run_count]).toEqual([[], 0]);
  });

  it.each([3, -1, 1.5, Number.NaN, "no-such", ""])("ENV-41 refuses a turn that is not there: %s", (at) => {
    const forking = () => forkEnvelope(sampleEnvelope("google", 2), at);
    expect(forking).toThrow(UsageError);
    expect(forking).toThrow(/2 committed turns\. Name a number from 0 to 2, .*turn-1, turn-2/);
  });

  it.each(DIALECT_NAMES)("ENV-42 drops half a tool round at the end: %s", (dialect) => {
    const target = { provider: other(dialect), model: SAMPLE_MODELS[other(dialect)] };
    for (const indexed of [true, false]) {
      const broken = deepFreeze(endingInside(dialect, indexed));
      expect(() => convertEnvelope(broken, target)).toThrow(SessionCompatibilityError);
      const converted = convertEnvelope(forkEnvelope(broken, 2), target);
      expect(converted.turn_index.map((entry) => entry.state === "committed" && entry.to)).toEqual([2, 4]);
    }
  });

  it("ENV-42 drops what follows the last indexed turn", () => {
    const whole = sampleEnvelope("anthropic", 2);
    const broken = { ...whole, messages: [...whole.messages, { role: "user", content: "And?" }] };
    expect(forkEnvelope(broken, 2).messages).toEqual(whole.messages);
  });

  it.each(DIALECT_NAMES)("ENV-43 counts turns without an index of them: %s", (dialect) => {
    const whole = sampleEnvelope(dialect, 3);
    const fork = forkEnvelope({ ...whole, turn_index: [] }, "restored-2");
    expect(fork.messages).toEqual(whole.messages.slice(0, 4));
    expect(fork.turn_index).toMatchObject([
      { turn_id: "restored-1", state: "committed", from: 0, to: 2, provider: dialect },
      { turn_id: "restored-2", from: 2, to: 4, model: whole.model },
    ]);
  });

  it("ENV-44 keeps the media that are named, by marker or by address", () => {
    const [kept, gone, file] = ["aa", "bb", "cc"].map((byte) => byte.repeat(32));
    const uri = "https://files.example/v1beta/files/1";
    const part = (data: string): NativeMessage => ({
      role: "user",
      parts: [{ inlineData: { mimeType: "image/png", data } }],
    });
    const entry = { mime_type: "image/png", size_bytes: 3 };
    const envelope = sampleEnvelope("google", 2, {
      messages: [
        part(`$media:${kept}.png`),
        { role: "model", parts: [{ fileData: { fileUri: uri } }] },
        part(`$media:${gone}.png`),
        { role: "model", parts: [{ text: "Two." }] },
      ],
      media: { [`${kept}`]: entry, [`${gone}`]: entry, [`${file}`]: { ...entry, uri } },
      media_report: [0, 2].map((message_index) => ({
        reason: "missing_blob",
        mime_type: "image/png",
        size: 3,
        message_index,
      })),
    });
    const fork = forkEnvelope(envelope, 1);
    expect(Object.keys(fork.media)).toEqual([kept, file]);
    expect(fork.media_report.map(({ message_index }) => message_index)).toEqual([0]);
    expect(Object.keys(forkEnvelope(envelope, 2).media)).toEqual([kept, gone, file]);
  });

  const thought = (text: string): NativeMessage => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "text", text },
    ],
  });
  const withThoughts = (): Envelope => {
    const whole = sampleEnvelope("anthropic", 3);
    const messages = whole.messages.map((message, at) => (at % 2 === 1 ? thought(`A${at}`) : message));
    return convertEnvelope({ ...whole, messages }, { provider: "openai", model: "gpt-6-luna" });
  };

  it("ENV-45 drops the attic's part beyond the cut and reports it; what is left comes back byte for byte", () => {
    const envelope = deepFreeze(withThoughts());
    const fork = forkEnvelope(envelope, 2);
    expect(fork.conversion_report.slice(envelope.conversion_report.length)).toEqual([
      {
        kind: "dropped",
        artefact: "reference",
        index: 4,
        detail: expect.stringMatching(/1 of the anthropic/),
      },
    ]);
    expect(fork.attic.length).toBeLessThan(envelope.attic.length);
    const back = convertEnvelope(fork, { provider: "anthropic", model: "claude-haiku-4-5" });
    expect(back.messages[1]).toEqual(thought("A1"));
    expect(back.messages).toHaveLength(4);
    expect(back.messages[3]).toEqual(thought("A3"));
  });

  it("ENV-45 drops a part that the cut goes through whole: it is converted on the way back, and that is reported", () => {
    const { messages } = sampleEnvelope("openai", 2);
    const base = { dialect: "anthropic", model: "claude-haiku-4-5", upto: 4, system: null };
    const unit = { dialect: "anthropic", from: 1, to: 4, messages: [thought("All.")] };
    const later = { kept: "what another release has here" };
    const fork = forkEnvelope(sampleEnvelope("openai", 2, { attic: [base, unit, later] }), 1);
    expect(fork.attic).toEqual([{ ...base, upto: 1 }, later]);
    expect(fork.conversion_report).toMatchObject([{ kind: "dropped", artefact: "reference", index: 1 }]);
    const back = convertHistory({ from: "openai", to: "anthropic", messages: fork.messages });
    expect(convertEnvelope(fork, { provider: "anthropic", model: "m" }).messages).toEqual(back.messages);
    expect(messages).toHaveLength(4);
  });

  it("ENV-46 names its origin, and has no interrupted turn but the one it ends with", () => {
    const envelope = deepFreeze(fullEnvelope());
    const fork = forkEnvelope(envelope, 2);
    expect(fork.copied_from).toEqual({ conversation_id: "contract-review", turn: 2 });
    expect(forkEnvelope({ ...envelope, conversation_id: "" }, 2).copied_from).toEqual(envelope.copied_from);
    expect([fork.interrupted_turn, fork.media]).toEqual([null, {}]);
    expect(fork.host_note).toEqual({ kept: ["as", "it", "is"] });
    const interrupted = forkEnvelope(envelope, "turn-3");
    expect(interrupted.interrupted_turn).toEqual(envelope.interrupted_turn);
    expect(interrupted.media).toEqual(envelope.media);
    expect(interrupted.accounting.turns.map(({ state }) => state)).toEqual([
      "committed",
      "committed",
      "interrupted",
    ]);
    expect(forkEnvelope(envelope, "turn-4").interrupted_turn).toBeNull();
  });
});
