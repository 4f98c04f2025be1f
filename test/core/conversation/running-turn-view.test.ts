import { describe, expect, it } from "vitest";
import { askApproval, decide } from "../../../src/core/conversation/approvals.js";
import { PAGE_BYTES } from "../../../src/core/conversation/messages.js";
import { runningTurnView } from "../../../src/core/conversation/running-turn-view.js";
import { markToolCall, stageCall } from "../../../src/core/conversation/tool-rounds.js";
import { descriptionOf } from "../../../src/core/conversation/views.js";
import { jsonByteLength } from "../../../src/core/json-byte-length.js";
import { answerTo, freshConversation, running } from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";

const pay = (amount: number) => ({ id: "same", name: "pay", arguments: { amount } });
const begun = running(freshConversation(), "t");
/** Three calls of a round: one waits, one runs, one is not started. */
const asking = stageCall(begun, { ...answerTo(begun), tool_calls: [pay(1), pay(2), pay(3)] });
const waiting = markToolCall(askApproval(asking, 0, pay(1), SAMPLE_TIME), 1, "unknown");
const states = (state: typeof begun) => runningTurnView(state)?.tool_calls.map((call) => call.state);

describe("the turn that runs", () => {
  it("TOL-134 shows in the description: its question, when it began, its tool calls and what became of each", () => {
    expect(runningTurnView(freshConversation())).toBeUndefined();
    expect(descriptionOf(freshConversation(), false)).not.toHaveProperty("running_turn");
    expect(descriptionOf(begun, false).running_turn).toMatchObject({
      turn_id: "t",
      message: begun.running?.message,
      message_characters: begun.running?.message.length,
      files: 0,
      started_at: begun.running?.started_at,
      tool_calls: [],
    });
    expect(runningTurnView(waiting)).toMatchObject({
      tool_call_count: 3,
      tool_calls: [
        { call: 1, name: "pay", arguments: '{"amount":1}', state: "waits_for_approval" },
        { call: 2, state: "running" },
        { call: 3, state: "not_started" },
      ],
    });
    expect(states(decide(waiting, "deny", { call: 1 }, SAMPLE_TIME))?.[0]).toBe("denied");
    const edited = decide(waiting, "approve", { call: 1, arguments: { amount: 9 } }, SAMPLE_TIME);
    expect(runningTurnView(markToolCall(edited, 0, "settled"))?.tool_calls[0]).toMatchObject({
      arguments: '{"amount":9}',
      state: "settled",
    });
  });

  it("TOL-134 has of earlier rounds no arguments", () => {
    const later = stageCall(waiting, { ...answerTo(begun), tool_calls: [pay(4)] });
    const given = runningTurnView(later)?.tool_calls.map((call) => call.arguments);
    expect(given).toEqual([undefined, undefined, undefined, '{"amount":4}']);
  });

  it("TOL-135 is told in a few kilobytes, however long its question is and however much it calls", () => {
    const long = { id: "x", name: "\u0001".repeat(500), arguments: { text: "\u0001".repeat(90_000) } };
    const many = stageCall(begun, {
      ...answerTo(begun),
      tool_calls: Array.from({ length: 2_000 }, () => long),
    });
    const message = "\u0001".repeat(1_000_000);
    const state = { ...many, running: many.running === null ? null : { ...many.running, message } };
    const view = runningTurnView(state);
    expect(view).toMatchObject({ message_characters: 1_000_000, tool_call_count: 2_000 });
    expect(view?.tool_calls.at(-1)?.call).toBe(2_000);
    expect(jsonByteLength(view)).toBeLessThan(PAGE_BYTES / 3);
  });
});
