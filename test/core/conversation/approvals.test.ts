import { describe, expect, it } from "vitest";
import {
  approvalIssue,
  askApproval,
  countEdited,
  decide,
  decisionOn,
  editedSizeIssue,
  editedSumIssue,
  isParked,
  pendingApprovals,
  stoppingIssue,
} from "../../../src/core/conversation/approvals.js";
import { answerCall, parkedFor, stageCall } from "../../../src/core/conversation/tool-rounds.js";
import { markCancelled } from "../../../src/core/conversation/turn.js";
import { statusOf } from "../../../src/core/conversation/views.js";
import { answerTo, freshConversation, running } from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const begun = running(freshConversation(), "t");
const call = (id: string) => ({ id, name: "pay", arguments: { amount: 5 }, approval: true as const });
const asked = deepFreeze(
  [call("a"), call("b"), call("b")].reduce(
    (state, one, index) => askApproval(state, index, one, SAMPLE_TIME),
    begun,
  ),
);

describe("calls that wait for approval", () => {
  it("TOL-55 show in the status with number, name and arguments, cut where they are long", () => {
    expect(statusOf(asked, false).approvals).toEqual(
      ["a", "b", "b"].map((id, index) => ({
        turn_id: "t",
        call: index + 1,
        id,
        name: "pay",
        arguments: '{"amount":5}',
        asked_at: SAMPLE_TIME,
      })),
    );
    const long = askApproval(begun, 0, { ...call("a"), arguments: { text: "x".repeat(9_000) } }, SAMPLE_TIME);
    expect(pendingApprovals(long.running)[0]?.arguments).toHaveLength(2_000);
    expect(pendingApprovals(null)).toEqual([]);
  });

  it("TOL-52 are named by number, also as a shell has it, or by their id where unique", () => {
    for (const named of [1, "1", "a", 2, "3"])
      expect(approvalIssue(asked, "approve", { call: named }), String(named)).toBeUndefined();
    expect(approvalIssue(asked, "deny", { call: "b" })).toBe(
      "2 calls with the id b wait: name one by its number.",
    );
    expect(approvalIssue(asked, "deny", { call: 4 })).toBe(
      "No call 4 waits for approval: those that do are 1, 2, 3.",
    );
    expect(approvalIssue(asked, "deny", { call: 1, turn_id: "other" })).toMatch(
      /in turn other: the turn does not run/,
    );
    expect(approvalIssue(freshConversation(), "deny", { call: 1 })).toMatch(/the turn does not run/);
  });

  it.each([
    undefined,
    7,
    {},
    { call: "" },
    { call: 1.5 },
    { call: 1, reason: 7 },
    { call: 1, turn_id: 7 },
    { call: 1, arguments: [] },
    { call: 1, arguments: { at: Number.NaN } },
    { call: 1, unknown: true },
  ])("TOL-52 refuse %j in one line", (request) => {
    expect(approvalIssue(asked, "approve", request)).toMatch(
      /^approve takes \{call, turn_id\?, reason\?, arguments\?\}/,
    );
  });

  it("TOL-56 name the place in arguments that no history can hold", () => {
    const edited = { to: { constructor: "Foo" } };
    expect(approvalIssue(asked, "approve", { call: 1, arguments: edited })).toMatch(
      /: arguments\.to\.constructor: expected no such key/,
    );
    expect(approvalIssue(asked, "approve", { call: 1, unknown: true })).toMatch(/: not "unknown"\.$/);
    expect(approvalIssue(asked, "approve", { call: 1, reason: 5 })).toMatch(/: reason is a text\.$/);
  });

  it("TOL-136 are decided no more once the turn has been told to stop", () => {
    expect(stoppingIssue(freshConversation())).toBeUndefined();
    expect(stoppingIssue(asked)).toBeUndefined();
    expect(stoppingIssue(markCancelled(asked, "Enough."))).toMatch(
      /^No call of turn t .* is being stopped\.$/,
    );
  });

  it("TOL-57 are decided once: the second decision hears of the first", () => {
    const denied = decide(asked, "deny", { call: "a" }, SAMPLE_TIME);
    for (const named of [1, "1", "a"])
      expect(approvalIssue(denied, "approve", { call: named })).toBe(
        `Call ${named} waits no longer: it was denied at ${SAMPLE_TIME}.`,
      );
    expect(approvalIssue(denied, "approve", { call: 2 })).toBeUndefined();
  });

  it("TOL-58 take arguments of 64 KiB and no more", () => {
    const sized = (bytes: number) => ({ call: 1, arguments: { text: "x".repeat(bytes - 11) } });
    expect(editedSizeIssue(sized(64 * 1024))).toBeUndefined();
    expect(editedSizeIssue(sized(64 * 1024 + 1))).toMatch(
      /^arguments are 65537 bytes as JSON: .* at most 65536/,
    );
  });

  it("CNV-371 take 512 KiB of arguments in one round, each of them 1 KiB at least, until the next round begins", () => {
    const sized = (bytes: number) => ({ text: "x".repeat(bytes - 11) });
    const full = Array.from({ length: 8 }, () => sized(64 * 1024)).reduce<typeof asked>(countEdited, asked);
    const most = countEdited(countEdited(asked, sized(64 * 1024)), {});
    expect(most.running?.edited_bytes).toBe(65 * 1024);
    expect(editedSumIssue(most, { arguments: sized(64 * 1024) })).toBeUndefined();
    expect(editedSumIssue(full, {})).toBeUndefined();
    expect(editedSumIssue(full, { arguments: {} })).toMatch(
      /^arguments are with those given before 525312 bytes as JSON: [^\n]* at most 524288 [^\n]* say why\.$/,
    );
    const next = stageCall(full, answerTo(begun, { tool_calls: [call("c")] }));
    expect(editedSumIssue(next, { arguments: {} })).toBeUndefined();
    expect(countEdited(freshConversation(), {})).toEqual(freshConversation());
  });

  it("TOL-52 are decided once, and a denial takes no arguments", () => {
    const decided = decide(
      asked,
      "approve",
      { call: "a", reason: "Fine.", arguments: { amount: 3 } },
      SAMPLE_TIME,
    );
    expect(decisionOn(decided, 0)).toEqual({
      approved: true,
      at: SAMPLE_TIME,
      reason: "Fine.",
      arguments: { amount: 3 },
    });
    expect(decisionOn(decided, 1)).toBeUndefined();
    expect(approvalIssue(decided, "deny", { call: "a" })).toMatch(/^Call a waits no longer: it was approved/);
    expect(approvalIssue(asked, "deny", { call: 1, arguments: {} })).toMatch(
      /^deny takes \{call, turn_id\?, reason\?\}/,
    );
  });

  it("TOL-51 leave the turn its time: what several have waited for at once counts once", () => {
    const first = parkedFor(begun, 1_000, 5_000);
    expect(first.running?.parked_ms).toBe(4_000);
    expect(parkedFor(first, 2_000, 6_000).running?.parked_ms).toBe(5_000);
    expect(parkedFor(first, 9_000, 9_500).running?.parked_ms).toBe(4_500);
  });
});

describe("a turn that is parked", () => {
  const two = [call("a"), call("b")];
  const staged = deepFreeze(stageCall(begun, answerTo(begun, { tool_calls: two })));
  const ask = (state: typeof begun, ...indexes: readonly number[]) =>
    indexes.reduce(
      (before, index) => askApproval(before, index, call("ab".charAt(index)), SAMPLE_TIME),
      state,
    );
  const answer = (state: typeof begun, position: number) =>
    answerCall(state, position, { call: { id: "a", name: "pay" }, output: "paid", is_error: false });
  const approved = (state: typeof begun, number: number) =>
    decide(state, "approve", { call: number }, SAMPLE_TIME);

  it.each([
    ["all calls wait", true, ask(staged, 0, 1)],
    ["one waits and one has been answered", true, answer(ask(staged, 1), 0)],
    ["one waits and one runs", false, ask(staged, 1)],
    ["one waits and one has been approved and runs", false, approved(ask(staged, 0, 1), 1)],
    ["one waits and one was approved and answered", true, answer(approved(ask(staged, 0, 1), 1), 0)],
    ["all have been answered", false, answer(answer(staged, 0), 1)],
    ["it has been stopped", false, markCancelled(ask(staged, 0, 1), "Enough.")],
    ["no tool was asked for", false, begun],
    ["no turn runs", false, freshConversation()],
  ])("WFL-180 is one of which nothing runs: %s: %s", (_case, parked, state) => {
    expect(isParked(state)).toBe(parked);
  });

  it("WFL-180 asks for no approval twice", () => {
    const once = ask(staged, 0);
    expect(ask(once, 0)).toBe(once);
  });
});
