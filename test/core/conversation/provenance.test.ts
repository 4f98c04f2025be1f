import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foreignMessages,
  isSameModel,
  type ServedRange,
  servedRanges,
  servedRangesOf,
} from "../../../src/core/conversation/provenance.js";
import { rebind } from "../../../src/core/conversation/rebind.js";
import {
  type CommittedTurnEntry,
  type ServedModel,
  type TurnIndexEntry,
  UNKNOWN_MODEL,
} from "../../../src/core/envelope/envelope.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";
import { committed, freshConversation } from "../../support/conversation-samples.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const ANTHROPIC = { provider: "anthropic", endpoint: "anthropic-messages" } as const;
const OPENAI = { provider: "openai", endpoint: "openai-responses" } as const;
const HAIKU = { ...ANTHROPIC, model: "claude-haiku-4-5-20251001" };
const OPUS = { ...ANTHROPIC, model: "claude-opus-5-5" };
const LUNA = { ...OPENAI, model: "gpt-6-luna" };

type Served = Pick<CommittedTurnEntry, "provider" | "endpoint" | "model">;

/** Turns of two messages each. */
const indexOf = (...served: readonly Served[]): readonly TurnIndexEntry[] =>
  served.map((by, turn) => ({
    turn_id: `t${turn}`,
    state: "committed",
    from: 2 * turn,
    to: 2 * turn + 2,
    ...by,
  }));
const asked = (
  model: string,
  turn: number,
  provider: ServedModel["provider"] = "anthropic",
): ServedModel => ({
  event: turn === 0 ? "start" : "rebind",
  provider,
  model,
  at: "2026-03-01T00:00:00.000Z",
  turn,
});

describe("who served which messages", () => {
  it("CNV-92 is told in ranges: neighbouring turns of one model are one, whatever ended between them", () => {
    const interrupted = { turn_id: "x", state: "refused", reason: "busy" } as const;
    const [first, second, third, fourth] = indexOf(HAIKU, HAIKU, LUNA, OPUS);
    const index = deepFreeze([first, interrupted, second, third, fourth]) as readonly TurnIndexEntry[];
    expect(servedRanges(index, [], "claude-sonnet-5")).toEqual([
      { to: 4, ...HAIKU },
      { to: 6, ...LUNA },
      { to: 8, ...OPUS },
    ]);
  });

  it("CNV-93 names nothing behind the last turn of another model: an agent's own turns add no range", () => {
    expect(servedRanges(indexOf(HAIKU, HAIKU), [], "claude-haiku-4-5")).toEqual([]);
    const moved = indexOf(HAIKU, OPUS);
    const ranges = [{ to: 2, ...HAIKU }];
    expect(servedRanges(moved, [], "claude-opus-5-5")).toEqual(ranges);
    expect(servedRanges(indexOf(HAIKU, OPUS, OPUS, OPUS), [], "claude-opus-5-5")).toEqual(ranges);
    expect(servedRanges(indexOf(HAIKU, OPUS, HAIKU), [], "claude-haiku-4-5")).toHaveLength(2);
  });

  it("CNV-94 takes a snapshot for its model, and no other model whose name only begins alike", () => {
    for (const snapshot of [
      "gpt-5-2025-08-07",
      "gpt-5-20250807",
      "gpt-5-latest",
      "gpt-5-001",
      "gpt-5@20250807",
    ]) {
      expect([snapshot, isSameModel(snapshot, "gpt-5"), isSameModel("gpt-5", snapshot)]).toEqual([
        snapshot,
        true,
        true,
      ]);
    }
    for (const other of ["gpt-5-mini", "gpt-5.1", "gpt-5-chat-latest", "gpt-50", "gpt"]) {
      expect([other, isSameModel(other, "gpt-5")]).toEqual([other, false]);
    }
    expect(isSameModel("claude-haiku-4-5-20251001", "claude-haiku-4-5-20260101")).toBe(false);
  });

  it("CNV-95 knows a model by the alias under which it was asked for", () => {
    const dated = { ...ANTHROPIC, model: "claude-sonnet-4-20250514" };
    const index = indexOf(dated, OPUS);
    const events = [asked("claude-sonnet-4-0", 0), asked("claude-opus-5-5", 1)];
    expect(servedRanges(index.slice(0, 1), events, "claude-sonnet-4-0")).toEqual([]);
    const back = servedRanges(index, events, "claude-sonnet-4-0");
    expect(back).toEqual([
      { to: 2, ...dated, alias: "claude-sonnet-4-0" },
      { to: 4, ...OPUS },
    ]);
    expect([...foreignMessages(back, "claude-sonnet-4-0")]).toEqual([2, 3]);
    expect([...foreignMessages(back, "claude-sonnet-4")]).toEqual([2, 3]);
    expect([...foreignMessages(back, "claude-opus-5-5")]).toEqual([0, 1]);
  });

  it("CNV-96 tells the messages of other models, of other providers and of other wires", () => {
    const served = [
      { to: 2, ...HAIKU },
      { to: 3, ...LUNA },
      { to: 5, ...ANTHROPIC, endpoint: "another", model: "claude-opus-5-5" },
      { to: 6, ...OPUS },
      { to: 8, ...HAIKU },
    ];
    expect([...foreignMessages(served, "claude-haiku-4-5")]).toEqual([2, 3, 4, 5]);
    expect([...foreignMessages(served, "anthropic:claude-opus-5-5")]).toEqual([0, 1, 2, 3, 4, 6, 7]);
    expect([...foreignMessages(served, "openai:claude-haiku-4-5")]).toHaveLength(8);
    expect(foreignMessages([], "claude-haiku-4-5").size).toBe(0);
  });

  it("CNV-97 takes a history whose model is not known for one of the agent's, if it is of its provider", () => {
    const unknown = [{ to: 2, ...ANTHROPIC, model: UNKNOWN_MODEL }];
    expect(foreignMessages(unknown, "claude-haiku-4-5").size).toBe(0);
    expect(foreignMessages(unknown, "gpt-6-luna").size).toBe(2);
  });

  it("CNV-98 moves with the messages that a send window leaves out", () => {
    const range = fc.record({ size: fc.nat(4), by: fc.constantFrom(HAIKU, OPUS, LUNA) });
    const cut = fc.tuple(fc.nat(12), fc.nat(12)).map(([one, other]) => ({
      from: Math.min(one, other),
      to: Math.max(one, other),
    }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), cut, (sizes, leftOut) => {
        let to = 0;
        const served: ServedRange[] = sizes.map(({ size, by }) => {
          to += size;
          return { to, ...by };
        });
        const whole = foreignMessages(served, "claude-haiku-4-5");
        const all = Array.from({ length: 30 }, (_, index) => whole.has(index));
        const sent = foreignMessages(served, "claude-haiku-4-5", leftOut);
        const expected = [...all.slice(0, leftOut.from), ...all.slice(leftOut.to)];
        expect(expected.map((_, index) => sent.has(index))).toEqual(expected);
      }),
    );
  });

  it("CNV-99 follows a live conversation there and back", () => {
    const on = (model: string) => ({ ...freshConversation().head.agent, model });
    const moved = (state: ReturnType<typeof freshConversation>, model: string) =>
      rebind(
        state,
        on(model),
        { prefix: prefixOf(on(model)), agent_digest: model },
        "2026-03-01T00:00:00.000Z",
      );
    const first = committed(freshConversation(), "a");
    expect(servedRangesOf(first, "claude-haiku-4-5")).toEqual([]);
    const there = moved(first, "claude-opus-5-5");
    expect(servedRangesOf(there, "claude-opus-5-5")).toMatchObject([{ to: 2, provider: "anthropic" }]);
    const back = moved(there, "claude-haiku-4-5");
    expect(servedRangesOf(back, "claude-haiku-4-5")).toEqual([]);
  });
});
