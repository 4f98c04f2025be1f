import { describe, expect, it } from "vitest";
import type { CallModelResult } from "../../../src/core/conversation/activity-contract.js";
import { listOf } from "../../../src/core/conversation/state.js";
import {
  markToolCall,
  settleToolCall,
  stageCall,
  turnSoFar,
} from "../../../src/core/conversation/tool-rounds.js";
import {
  transcriptMedia,
  transcriptMessages,
  transcriptRoot,
} from "../../../src/core/conversation/transcript.js";
import { commitTurn, interruptTurn } from "../../../src/core/conversation/turn.js";
import { turnEndAfter } from "../../../src/core/conversation/turn-end-after.js";
import { turnView } from "../../../src/core/conversation/views.js";
import { extendRoot } from "../../../src/core/hash.js";
import {
  answerTo,
  committed,
  freshConversation,
  ONE_CALL,
  running,
} from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const begun = running(committed(freshConversation(), "a"), "b");
const question = { role: "user", content: "Add." };
const asking = {
  role: "assistant",
  content: [
    { type: "text", text: "One moment." },
    { type: "tool_use", id: "x", name: "add", input: {} },
    { type: "tool_use", id: "y", name: "draw", input: {} },
  ],
};
const results = {
  role: "user",
  content: [
    { type: "tool_result", tool_use_id: "x", content: "5" },
    { type: "tool_result", tool_use_id: "y", content: "drawn" },
  ],
};
const MISSING = { reason: "missing_blob", mime_type: "image/png", size: 1, message_index: 0 } as const;
const asks: CallModelResult = answerTo(begun, {
  messages: [question, asking],
  attempt: 2,
  provider_calls: 2,
  media_report: [MISSING],
  tool_calls: [
    { id: "x", name: "add", arguments: {}, timeout_ms: 1 },
    { id: "y", name: "draw", arguments: {}, timeout_ms: 1 },
  ],
});
const staged = deepFreeze(stageCall(begun, asks));
const file = { marker: `$media:${"a".repeat(64)}.png`, mime_type: "image/png", size_bytes: 3, name: "a.png" };
const settled = deepFreeze(
  settleToolCall(settleToolCall(staged, 0, { output: 5, is_error: false }), 1, {
    output: "drawn",
    is_error: false,
    files: [file],
  }),
);
const added = [results, { role: "assistant", content: [{ type: "text", text: "It is 5." }] }];
const last = answerTo(settled, {
  messages: added,
  root: extendRoot(asks.root, added),
  attempt: 2,
  media_report: asks.media_report ?? [],
});

describe("a turn between its model calls", () => {
  it("TOL-2 is in none of the lists that anybody reads", () => {
    expect(listOf(settled, "messages")).toEqual(listOf(begun, "messages"));
    expect(listOf(settled, "media")).toEqual([]);
    expect(turnView(settled, "b")).toMatchObject({ state: "running" });
  });

  it("TOL-32 is in the transcript that a worker reads, with its root and what its tools handed over", () => {
    expect(transcriptMessages(settled)).toEqual([...listOf(begun, "messages"), question, asking]);
    expect(transcriptRoot(settled)).toEqual(asks.root);
    expect(transcriptMedia(settled)).toMatchObject([["a".repeat(64), { name: "a.png" }]]);
    expect(transcriptRoot(begun)).toEqual(begun.head.root);
    expect(transcriptMessages(begun)).toEqual(listOf(begun, "messages"));
  });

  it("TOL-4 hands on what it has had so far in sums, attempts counted over the whole turn", () => {
    expect(turnSoFar(begun)).toBeUndefined();
    expect(turnSoFar(settled)).toEqual({
      lost_attempts: 1,
      from: 2,
      provider_calls: 2,
      tool_calls: 2,
      asked_calls: 2,
      usage: ONE_CALL,
      media_report: [MISSING],
    });
  });
});

describe("a round with calls that are not run", () => {
  const refused = {
    id: "z",
    name: "add",
    arguments: {},
    answer: "custom_tool_call_output",
    refused: "Error: No.",
  };
  const state = stageCall(begun, { ...asks, tool_calls: [...(asks.tool_calls ?? []), refused] });

  it("CNV-370 has their answers from the start, and counts none of them as started", () => {
    const call = { id: "z", name: "add", answer: "custom_tool_call_output" };
    expect(state.running?.round?.results).toEqual([
      null,
      null,
      { call, output: "Error: No.", is_error: true },
    ]);
    expect(state.running?.tool_calls.at(-1)).toEqual({ id: "z", name: "add", state: "not_started" });
    expect(turnSoFar(state)).toMatchObject({ tool_calls: 0, asked_calls: 3 });
  });

  it.each([{ round_limit: 3 }, { run_full: "Full." }])(
    "CNV-370 is no round where the turn ends: %j",
    (end) => {
      expect(stageCall(begun, asks).running?.tool_rounds).toBe(1);
      expect(stageCall(begun, { ...asks, ...end }).running?.tool_rounds).toBeUndefined();
      expect(turnEndAfter({ ...asks, ...end })).toBe("interrupted");
    },
  );
});

describe("a turn with tools that ends", () => {
  it("TOL-43 is committed whole, with the sums of its calls, and answers with the last text alone", () => {
    const state = commitTurn(settled, last, SAMPLE_TIME);
    expect(listOf(state, "messages").slice(2)).toEqual([question, asking, ...added]);
    expect(listOf(state, "turn_index").at(-1)).toMatchObject({ state: "committed", from: 2, to: 6 });
    expect(listOf(state, "turns").at(-1)).toMatchObject({
      provider_calls: 3,
      tool_calls: 2,
      usage: { input_tokens: 20, output_tokens: 10 },
      raw_usage: [asks.raw_usage, last.raw_usage],
    });
    expect(listOf(state, "media")).toHaveLength(1);
    expect(listOf(state, "media_report")).toHaveLength(1);
    expect(state.head.root).toEqual(last.root);
    expect(turnView(state, "b").result).toMatchObject({
      output: "It is 5.",
      tool_calls: 2,
      provider_calls: 3,
    });
  });

  it("TOL-14 leaves a record with every call's state and what was paid, and nothing else", () => {
    const unknown = markToolCall(settleToolCall(staged, 0, { output: 5, is_error: false }), 1, "unknown");
    const state = interruptTurn(unknown, { error_type: "tool.failed", error: "No." }, SAMPLE_TIME);
    expect(state.head.interrupted_turn).toMatchObject({
      attempts: 2,
      usage: ONE_CALL,
      tool_calls: [
        { id: "x", name: "add", state: "settled" },
        { id: "y", name: "draw", state: "unknown" },
      ],
    });
    expect(listOf(state, "turns").at(-1)).toMatchObject({
      provider_calls: 2,
      tool_calls: 2,
      raw_usage: [asks.raw_usage],
    });
    expect(listOf(state, "messages")).toEqual(listOf(begun, "messages"));
    expect(state.running).toBeNull();
  });
});
