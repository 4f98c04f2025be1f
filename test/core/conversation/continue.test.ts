import { describe, expect, it } from "vitest";
import { askApproval, decide } from "../../../src/core/conversation/approvals.js";
import { continuedArguments, startingState } from "../../../src/core/conversation/continue.js";
import { withRefusal } from "../../../src/core/conversation/refusals.js";
import { freshState } from "../../../src/core/conversation/restore.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { EMPTY_SEGMENT, withHead } from "../../../src/core/conversation/state.js";
import { answerCall, markToolCall, stageCall } from "../../../src/core/conversation/tool-rounds.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";
import {
  admitted,
  answerTo,
  committed,
  freshConversation,
  running,
} from "../../support/conversation-samples.js";

const agent = { model: "claude-haiku-4-5", instructions: "", tools: [], params: {} };
const now = "2026-01-31T12:00:00.000Z";
const fresh = freshState({ conversationId: "c", now, agent, prefix: prefixOf(agent), checkpoint: null });
const rebind = { agent: { model: "gpt-6-luna" } };

describe("what a run hands to the next", () => {
  it("WFL-176 is the head, the sealed segments as they are and the tail, each by itself", () => {
    const sealed = { ...EMPTY_SEGMENT, messages: [{ role: "user", content: "One" }] };
    const state: ConversationState = { ...fresh, segments: [sealed], version: 7 };
    const [head, ...segments] = continuedArguments(state, []);
    expect(segments).toEqual([sealed, state.tail]);
    expect(segments[0]).toBe(sealed);
    expect(head).toEqual({ ...state.head, version: 7 });
  });

  it("CNV-300 has a tail from 16 KiB on as one more segment, and a smaller one as it is", () => {
    const before = committed(freshConversation(), "a", { text: "x".repeat(13 * 1024) });
    expect(continuedArguments(before, []).slice(1)).toEqual([before.tail]);
    const [head, ...parts] = continuedArguments(committed(before, "b", { text: "x".repeat(4 * 1024) }), []);
    expect(parts).toHaveLength(2);
    expect(parts[0]?.turn_index.map(({ turn_id }) => turn_id)).toEqual(["a", "b"]);
    expect(parts[1]).toEqual(EMPTY_SEGMENT);
    const next = committed(startingState(head, parts), "c");
    expect(next.segments[0]).toBe(parts[0]);
    expect(continuedArguments(next, []).slice(1)).toEqual([parts[0], next.tail]);
  });

  it("WFL-167 holds the rebinds that came in the last moment, and none that have been carried before", () => {
    const [head, ...parts] = continuedArguments(fresh, [rebind]);
    expect(head.rebinds).toEqual([rebind]);
    const [next] = continuedArguments(startingState(head, parts), []);
    expect(next).not.toHaveProperty("rebinds");
  });

  it("WFL-177 stays under 64 KiB beside the agent's texts and the turns that wait, however many refusals there were", () => {
    let state = withHead(fresh, {});
    for (let index = 0; index < 100; index++)
      state = withRefusal(state, {
        at: now,
        name: "x".repeat(100),
        reason: "invalid",
        error: "e".repeat(9_000),
      });
    const [head] = continuedArguments(state, []);
    expect(head.refusals).toHaveLength(20);
    expect(JSON.stringify(head).length).toBeLessThan(64 * 1024);
  });

  it("WFL-176 is all of a state: the next run begins with it", () => {
    const state = { ...committed(freshConversation(), "a"), version: 9 };
    const begun = startingState(...split(state));
    expect(begun).toEqual({ ...state, head: { ...state.head, version: 9 } });
  });
});

const call = (id: string) => ({
  id,
  name: "pay",
  arguments: { amount: 5 },
  timeout_ms: 1,
  approval: true as const,
});

/** A turn of which one call has been denied and one waits, with another turn behind it. */
function parkedTurn(): ConversationState {
  const before = admitted(running(committed(freshConversation(), "a"), "b"), "c").state;
  const staged = stageCall(before, answerTo(before, { tool_calls: [call("x"), call("y")] }));
  const asked = askApproval(askApproval(staged, 0, call("x"), now), 1, call("y"), now);
  const denied = decide(asked, "deny", { call: 1, reason: "No." }, now);
  return answerCall(denied, 0, { call: { id: "x", name: "pay" }, output: "Not run.", is_error: true });
}

function split(state: ConversationState): Parameters<typeof startingState> {
  const [head, ...parts] = continuedArguments(state, []);
  return [head, parts];
}

describe("what a run hands to the next of a parked turn", () => {
  it("WFL-185 is the whole turn: the next run begins where this one ended", () => {
    const state = parkedTurn();
    const begun = startingState(...split(state));
    expect(begun).toEqual({ ...state, head: { ...state.head, version: state.version } });
    expect(begun.running?.staged).toHaveLength(2);
    expect(begun.head.queue).toHaveLength(1);
  });

  it("WFL-185 is two arguments more: what it has staged, the same whatever becomes of its calls, and the rest", () => {
    const state = parkedTurn();
    const [head, ...parts] = continuedArguments(state, []);
    expect(parts).toHaveLength(3);
    expect(parts.at(0)).toBe(state.tail);
    expect(JSON.stringify([head, parts.at(2)])).not.toContain('Question of b"}');
    const later = decide(markToolCall(state, 0, "settled"), "approve", { call: 2 }, now);
    const again = continuedArguments(startingState(...split(later)), []);
    expect(again.at(2)).toEqual(parts.at(1));
    expect(again.at(3)).not.toEqual(parts.at(2));
  });

  it("WFL-186 has the shape of segments, and no queue for a worker of a build that would take it for one", () => {
    const [head, ...parts] = continuedArguments(parkedTurn(), []);
    expect(head).not.toHaveProperty("queue");
    for (const part of parts) expect(part).toMatchObject(EMPTY_SEGMENT_SHAPE);
  });
});

const EMPTY_SEGMENT_SHAPE = { messages: expect.any(Array), turn_index: expect.any(Array) };
