import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/agent.js";
import { admit, isRefused } from "../../../src/core/conversation/admit.js";
import { checkpointEnded } from "../../../src/core/conversation/checkpoint.js";
import { envelopeOf } from "../../../src/core/conversation/export.js";
import type { OnBusy } from "../../../src/core/conversation/messages.js";
import { rebind, rebindIssue } from "../../../src/core/conversation/rebind.js";
import { restoredState } from "../../../src/core/conversation/restore.js";
import { SEGMENT_BYTES, segmentBytes } from "../../../src/core/conversation/segment.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { listOf, withHead } from "../../../src/core/conversation/state.js";
import {
  cancelQueued,
  commitTurn,
  interruptTurn,
  markCancelled,
  refuseTurn,
  startNextTurn,
} from "../../../src/core/conversation/turn.js";
import { statusOf, turnView } from "../../../src/core/conversation/views.js";
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { CommittedTurnEntry, Envelope } from "../../../src/core/envelope/envelope.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";
import { parseEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../../src/core/envelope/serialise-envelope.js";
import { answerTo, freshConversation } from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

type Operation =
  | { readonly do: "submit"; readonly id: string; readonly busy: OnBusy }
  | { readonly do: "commit"; readonly bytes: number; readonly messages: number }
  | { readonly do: "cancel"; readonly id: string }
  | { readonly do: "rebind"; readonly model: string }
  | { readonly do: "start" | "interrupt" | "refuse" | "stop" | "saved" | "not saved" | "close" };

const id = fc.integer({ min: 1, max: 12 }).map((number) => `turn-${number}`);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("submit" as const),
      id,
      busy: fc.constantFrom<OnBusy>("queue", "reject", "interrupt"),
    }),
  },
  { weight: 6, arbitrary: fc.constant({ do: "start" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      bytes: fc.constantFrom(10, 5_000, 90_000, 300_000),
      messages: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("rebind" as const),
      model: fc.constantFrom("claude-opus-5-5", "claude-haiku-4-5", "gpt-6-luna"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("interrupt" as const, "refuse" as const, "stop" as const, "saved" as const)
      .map((name) => ({ do: name })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("not saved" as const, "close" as const).map((name) => ({ do: name })),
  },
);

const failure = { error_type: "provider.network", error: "No answer." };

function applied(state: ConversationState, step: Operation, accepted: Set<string>): ConversationState {
  switch (step.do) {
    case "submit": {
      const submission = { message: `Question ${step.id}`, on_busy: step.busy };
      const outcome = admit(state, submission, { now: SAMPLE_TIME, turnId: step.id });
      if (isRefused(outcome)) return state;
      accepted.add(step.id);
      return outcome.state;
    }
    case "start":
      return startNextTurn(state, SAMPLE_TIME);
    case "commit":
      return commitTurn(state, answerOf(state, step), SAMPLE_TIME);
    case "cancel":
      return cancelQueued(state, step.id, SAMPLE_TIME, "Stopped.");
    case "rebind":
      return rebound(state, step.model);
    case "interrupt":
      return interruptTurn(state, failure, SAMPLE_TIME);
    case "refuse":
      return refuseTurn(state, "unknown_tool", "No such tool.");
    case "stop":
      return markCancelled(state, "Stopped.");
    case "saved":
      return checkpointEnded(state, { run_count: state.head.run_count });
    case "not saved":
      return checkpointEnded(state, { error: "The disk is full." });
    case "close":
      return withHead(state, { closing: true });
  }
}

function answerOf(
  state: ConversationState,
  { bytes, messages }: { readonly bytes: number; readonly messages: number },
): ReturnType<typeof answerTo> {
  const question = { role: "user", content: "Question" };
  const answer = { role: "assistant", content: "x".repeat(bytes) };
  return answerTo(state, {
    messages: [question, ...Array.from({ length: messages - 1 }, () => answer)],
  });
}

function rebound(state: ConversationState, model: string): ConversationState {
  if (rebindIssue(state) !== undefined) return state;
  const agent = new Agent({ model }).spec;
  return rebind(state, agent, { prefix: prefixOf(agent), agent_digest: model }, SAMPLE_TIME);
}

/** Every accepted id stands at exactly one place: in the queue, running, or ended. */
function expectEveryTurnOnce(state: ConversationState, accepted: ReadonlySet<string>): void {
  const places = [
    ...state.head.queue.map(({ turn_id }) => turn_id),
    ...(state.running === null ? [] : [state.running.turn_id]),
    ...listOf(state, "turn_index").map(({ turn_id }) => turn_id),
  ];
  expect(places.toSorted()).toEqual([...accepted].toSorted());
  for (const turnId of accepted) expect(turnView(state, turnId).state).not.toBe("unknown");
}

/** Committed turns lie one behind the other and cover the history; nothing else is in it. */
function expectHistoryOfWholeTurns(state: ConversationState): void {
  const index = listOf(state, "turn_index");
  const committed = index.filter((entry): entry is CommittedTurnEntry => entry.state === "committed");
  let end = 0;
  for (const { from, to } of committed) {
    expect(from).toBe(end);
    end = to;
  }
  expect(listOf(state, "messages")).toHaveLength(end);
  expect(state.head.root.count).toBe(end);
  expect(statusOf(state, false).message_count).toBe(end);
  expect(state.head.run_count).toBe(committed.length);
  const ended = index.filter((entry) => entry.state !== "refused").map(({ turn_id }) => turn_id);
  expect(listOf(state, "turns").map(({ turn_id }) => turn_id)).toEqual(ended);
}

function expectSegmentsOfWholeTurns(state: ConversationState): void {
  for (const segment of [...state.segments, state.tail]) {
    const messages = segment.turn_index.reduce(
      (sum, entry) => sum + (entry.state === "committed" ? entry.to - entry.from : 0),
      0,
    );
    expect(segment.messages).toHaveLength(messages);
    if (segment.turn_index.length > 1) expect(segmentBytes(segment)).toBeLessThanOrEqual(SEGMENT_BYTES);
  }
}

const listsOf = ({ messages, turn_index, metadata, accounting, media, interrupted_turn }: Envelope) =>
  JSON.stringify({ messages, turn_index, metadata, accounting, media, interrupted_turn });

/** What a state exports is a valid envelope, and a state that was made from it exports the same. */
function expectRoundTrip(state: ConversationState): void {
  const { envelope } = parseEnvelope(serialiseEnvelope(envelopeOf(state, SAMPLE_TIME)));
  const { head } = state;
  const again = restoredState(envelope, dialectFor(envelope.provider), {
    conversationId: head.conversation_id,
    now: SAMPLE_TIME,
    agent: head.agent,
    prefix: head.prefix,
    checkpoint: null,
    schemaVersion: 3,
  });
  expect(listsOf(envelopeOf(again, SAMPLE_TIME))).toBe(listsOf(envelope));
  expect(again.head.root).toEqual(head.root);
}

describe("the conversation's state machine", () => {
  it("CNV-68 keeps its promises through any sequence of operations, and changes no state in place", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const accepted = new Set<string>();
        let state = freshConversation({ checkpoint: "/var/review.json" });
        for (const step of operations) {
          const next = deepFreeze(applied(state, step, accepted));
          if (next !== state) expect(next.version).toBeGreaterThan(state.version);
          state = next;
          expectEveryTurnOnce(state, accepted);
          expectHistoryOfWholeTurns(state);
        }
        expectSegmentsOfWholeTurns(state);
        expectRoundTrip(state);
      }),
      { numRuns: 150 },
    );
  });
});
