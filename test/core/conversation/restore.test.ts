import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/agent.js";
import { envelopeOf } from "../../../src/core/conversation/export.js";
import { freshState, restoredState, type StartContext } from "../../../src/core/conversation/restore.js";
import { SEAL_BYTES } from "../../../src/core/conversation/segment.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { listOf } from "../../../src/core/conversation/state.js";
import { turnView } from "../../../src/core/conversation/views.js";
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { Envelope } from "../../../src/core/envelope/envelope.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";
import { parseEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../../src/core/envelope/serialise-envelope.js";
import { agentDigest, EMPTY_ROOT, extendRoot } from "../../../src/core/hash.js";
import { jsonByteLength } from "../../../src/core/json-byte-length.js";
import { PROVIDER_NAMES } from "../../../src/core/providers.js";
import { committed } from "../../support/conversation-samples.js";
import { fullEnvelope, SAMPLE_TIME, sampleAccount, sampleEnvelope } from "../../support/envelope-samples.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const NOW = "2026-03-01T00:00:00.000Z";

function contextOf(envelope: Envelope, change: Partial<StartContext> = {}): StartContext {
  const agent = new Agent({
    model: `${envelope.provider}:${envelope.model}`,
    instructions: "You review contracts. Be brief.",
  }).spec;
  return {
    conversationId: envelope.conversation_id,
    now: NOW,
    agent,
    prefix: prefixOf(agent),
    checkpoint: null,
    ...change,
  };
}

function restore(envelope: Envelope, change: Partial<StartContext> = {}): ConversationState {
  return restoredState(deepFreeze(envelope), dialectFor(envelope.provider), {
    ...contextOf(envelope, change),
    schemaVersion: 3,
  });
}

/** The lists of an envelope that a restore carries over as they are. */
const listsOf = ({ messages, turn_index, accounting, media, conversion_report, attic }: Envelope) => ({
  messages,
  turn_index,
  accounting,
  media,
  conversion_report,
  attic,
});

describe("a conversation that starts", () => {
  it("CNV-39 has its agent, its prefix, one served model and nothing else", () => {
    const envelope = sampleEnvelope("anthropic", 0);
    const state = freshState(contextOf(envelope));
    expect(envelopeOf(state, NOW)).toMatchObject({
      conversation_id: "contract-review",
      created_at: NOW,
      provider: "anthropic",
      model: "claude-haiku-4-5",
      messages: [],
      turn_index: [],
      metadata: { run_count: 0, served_models: [{ event: "start", model: "claude-haiku-4-5", turn: 0 }] },
      interrupted_turn: null,
      converted_from: null,
      media_policy: "inline",
    });
    expect(state.head.root).toEqual(EMPTY_ROOT);
    expect(state.head.restored_from_schema_version).toBeNull();
  });
});

describe("a conversation that is restored", () => {
  it.each(PROVIDER_NAMES)("CNV-40 carries every list of an envelope of %s over as it is", (provider) => {
    const envelope = sampleEnvelope(provider, 5);
    const state = restore(envelope);
    expect(listsOf(envelopeOf(state, NOW))).toEqual(listsOf(envelope));
    expect(state.head.root).toEqual(extendRoot(EMPTY_ROOT, envelope.messages));
  });

  it("CNV-41 loses nothing: interrupted and refused turns, the last record, media, reports, the attic, unknown keys", () => {
    const envelope = fullEnvelope();
    const kept = { ...envelope, metadata: { ...envelope.metadata, host_note: 7 } };
    const again = envelopeOf(restore(kept), NOW);
    expect(listsOf(again)).toEqual(listsOf(kept));
    expect(again).toMatchObject({
      created_at: envelope.created_at,
      interrupted_turn: envelope.interrupted_turn,
      converted_from: "openai",
      copied_from: { conversation_id: "original", turn: 1 },
      host_note: envelope.host_note,
    });
    expect(again.metadata).toMatchObject({ run_count: 2, host_note: 7 });
  });

  it("CNV-42 keeps messages outside any turn, accounts without a turn and media that no message names", () => {
    const sample = sampleEnvelope("anthropic", 2);
    const lonely = sampleAccount("anthropic", "forgotten");
    const [one, two] = sample.turn_index;
    const before = { role: "system", content: "You are in a test." };
    const after = { role: "user", content: "Unanswered." };
    const envelope: Envelope = {
      ...sample,
      messages: [before, ...sample.messages, after],
      turn_index: [
        { ...one, from: 1, to: 3 },
        { ...two, from: 3, to: 5 },
      ] as unknown as Envelope["turn_index"],
      accounting: { ...sample.accounting, turns: [lonely, ...sample.accounting.turns, { ...lonely }] },
      media: { ["c".repeat(64)]: { mime_type: "image/png", size_bytes: 1, ref: `${"c".repeat(64)}.png` } },
      conversion_report: [
        { kind: "dropped", index: 5 },
        { kind: "moved", index: 0 },
        { kind: "added", index: 99 },
      ],
    };
    expect(listsOf(envelopeOf(restore(envelope), NOW))).toEqual(listsOf(envelope));
  });

  it("CNV-43 keeps a history without an index of turns", () => {
    const envelope = sampleEnvelope("openai", 3, { turn_index: [] });
    expect(listsOf(envelopeOf(restore(envelope), NOW))).toEqual(listsOf(envelope));
  });

  it("CNV-44 cuts a long history into segments of whole turns, each with what belongs to it", () => {
    const envelope = sampleEnvelope("anthropic", 40);
    const long = envelope.messages.map((message) =>
      message.role === "user"
        ? message
        : { ...message, content: [{ type: "text", text: "x".repeat(20_000) }] },
    );
    const state = restore({ ...envelope, messages: long });
    expect(state.segments.length).toBeGreaterThan(2);
    for (const { messages, turn_index, turns } of [...state.segments, state.tail]) {
      expect(messages).toHaveLength(turn_index.length * 2);
      expect(turns.map(({ turn_id }) => turn_id)).toEqual(turn_index.map(({ turn_id }) => turn_id));
    }
    expect(state.tailBytes).toBeLessThan(SEAL_BYTES);
    expect(jsonByteLength(state.head)).toBeLessThan(8 * 1024);
    expect(listsOf(envelopeOf(state, NOW))).toEqual(listsOf({ ...envelope, messages: long }));
  });

  it("CNV-45 knows every turn id again", () => {
    const state = restore(fullEnvelope());
    expect(turnView(state, "turn-1")).toMatchObject({ state: "committed", result: { output: "Answer 1" } });
    expect(turnView(state, "turn-3")).toMatchObject({ state: "interrupted" });
    expect(turnView(state, "turn-4")).toMatchObject({ state: "refused", reason: "unknown_tool" });
  });

  it("CNV-46 says in served_models where the model has changed, and nothing where it has not", () => {
    const envelope = sampleEnvelope("anthropic", 2);
    expect(listOf(restore(envelope), "served_models")).toEqual(envelope.metadata.served_models);
    const agent = new Agent({ model: "claude-opus-5-5" }).spec;
    expect(listOf(restore(envelope, { agent }), "served_models").at(-1)).toEqual({
      event: "restore",
      provider: "anthropic",
      model: "claude-opus-5-5",
      at: NOW,
      turn: 2,
      from: { provider: "anthropic", model: "claude-haiku-4-5" },
    });
  });

  it("CNV-100 keeps the agent's context under a digest that also covers who served the history", () => {
    const envelope = sampleEnvelope("anthropic", 2);
    const agent = new Agent({ model: "claude-opus-5-5" }).spec;
    const { system } = envelope;
    const { head } = restore(envelope, { agent });
    const [turn] = envelope.turn_index;
    if (turn?.state !== "committed") throw new Error("The sample's first turn is not committed.");
    const served = [{ to: 4, provider: turn.provider, endpoint: turn.endpoint, model: turn.model }];
    expect(head.agent_digest).toBe(agentDigest({ agent, system, served }));
    const same = contextOf(envelope).agent;
    expect(restore(envelope).head.agent_digest).toBe(agentDigest({ agent: same, system, served: [] }));
  });

  it("CNV-47 starts its media report empty, and says what of the prefix has moved since the save", () => {
    const state = restore(fullEnvelope());
    expect(listOf(state, "media_report")).toEqual([]);
    expect(state.head.prefix_change_report).toEqual({
      instructions: false,
      tools: { added: [], removed: ["look_up"], changed: [] },
    });
    expect(restore(sampleEnvelope("anthropic", 1, { prefix: null })).head.prefix_change_report).toBeNull();
  });

  it("CNV-48 names the conversation that it is a copy of", () => {
    const envelope = fullEnvelope();
    const state = restoredState(envelope, dialectFor(envelope.provider), {
      ...contextOf(envelope, { conversationId: "copy" }),
      schemaVersion: 2,
      copiedFrom: { conversation_id: envelope.conversation_id, turn: 2 },
    });
    const copy = envelopeOf(state, NOW);
    expect(copy.conversation_id).toBe("copy");
    expect(copy.copied_from).toEqual({ conversation_id: "contract-review", turn: 2 });
    expect(state.head.restored_from_schema_version).toBe(2);
  });

  it("CNV-49 goes on: what it exports after another turn can be read and restored again", () => {
    const state = committed(restore(sampleEnvelope("anthropic", 2)), "turn-3");
    const { envelope } = parseEnvelope(serialiseEnvelope(envelopeOf(state, SAMPLE_TIME)));
    expect(envelope.turn_index.at(-1)).toMatchObject({ turn_id: "turn-3", from: 4, to: 6 });
    expect(envelope.metadata.run_count).toBe(3);
    expect(listsOf(envelopeOf(restore(envelope), NOW))).toEqual(listsOf(envelope));
  });
});
