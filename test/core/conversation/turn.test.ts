import { describe, expect, it } from "vitest";
import { checkpointEnded } from "../../../src/core/conversation/checkpoint.js";
import { envelopeOf } from "../../../src/core/conversation/export.js";
import { findTurn, listOf } from "../../../src/core/conversation/state.js";
import {
  cancelQueued,
  commitTurn,
  interruptTurn,
  markCancelled,
  refuseSubmission,
  refuseTurn,
  startNextTurn,
} from "../../../src/core/conversation/turn.js";
import { turnView } from "../../../src/core/conversation/views.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";
import {
  admitted,
  answerTo,
  committed,
  freshConversation,
  ONE_CALL,
  running,
} from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";

const LATER = "2026-02-01T00:00:00.000Z";
const failure = {
  error_type: "provider.overloaded",
  error: "Too busy.",
  details: { attempt: 6, provider_calls: 6, partial_text: "The cl", usage: ONE_CALL },
};
const file = {
  marker: `$media:${"a".repeat(64)}.pdf`,
  mime_type: "application/pdf",
  size_bytes: 3,
  name: "contract.pdf",
};

describe("starting a turn", () => {
  it("CNV-10 takes the next of the queue, one at a time", () => {
    const two = admitted(admitted(freshConversation(), "a").state, "b").state;
    const started = startNextTurn(two, LATER);
    expect(started.running).toMatchObject({ turn_id: "a", started_at: LATER, cancelled: null, staged: [] });
    expect(started.head.queue.map(({ turn_id }) => turn_id)).toEqual(["b"]);
    expect(startNextTurn(started, LATER)).toBe(started);
    const idle = freshConversation();
    expect(startNextTurn(idle, LATER)).toBe(idle);
  });

  it("CNV-11 clears interrupted_turn when the next turn starts; the turn itself keeps its record", () => {
    const broken = interruptTurn(running(freshConversation(), "a"), failure, LATER);
    expect(broken.head.interrupted_turn?.turn_id).toBe("a");
    const waiting = admitted(broken, "b").state;
    expect(waiting.head.interrupted_turn?.turn_id).toBe("a");
    const next = startNextTurn(waiting, LATER);
    expect(next.head.interrupted_turn).toBeNull();
    expect(turnView(next, "a").interrupted_turn?.error).toBe("Too busy.");
  });
});

describe("committing a turn", () => {
  it("CNV-12 adds the messages, the index entry and the account of a turn in one step", () => {
    const started = running(freshConversation(), "a", { files: [file], resend_of: "z" });
    expect(listOf(started, "messages")).toEqual([]);
    const result = answerTo(started, { simulated: true, provider_calls: 2 });
    const state = commitTurn(started, result, LATER);
    expect(state.running).toBeNull();
    expect(listOf(state, "messages")).toEqual(result.messages);
    expect(state.head.root).toEqual(result.root);
    expect(findTurn(state, "a")).toEqual({
      turn_id: "a",
      state: "committed",
      from: 0,
      to: 2,
      provider: "anthropic",
      endpoint: "anthropic-messages",
      model: "claude-haiku-4-5",
      simulated: true,
      resend_of: "z",
    });
    expect(listOf(state, "turns")).toEqual([
      expect.objectContaining({
        turn_id: "a",
        state: "committed",
        simulated: true,
        started_at: SAMPLE_TIME,
        finished_at: LATER,
        provider_calls: 2,
        usage: ONE_CALL,
      }),
    ]);
    expect(listOf(state, "turns")[0]?.raw_usage).toEqual([result.raw_usage]);
    expect(listOf(state, "media")).toEqual([
      ["a".repeat(64), expect.objectContaining({ ref: file.marker.slice(7), name: "contract.pdf" })],
    ]);
  });

  it("CNV-13 counts committed turns only in run_count, and sums what every ended turn has cost", () => {
    const one = committed(freshConversation(), "a");
    const two = interruptTurn(running(one, "b"), failure, LATER);
    const three = refuseTurn(running(two, "c"), "unknown_tool", "No such tool.");
    const four = committed(three, "d");
    expect(four.head.run_count).toBe(2);
    expect(four.head.totals).toMatchObject({ turns: 2, provider_calls: 8, usage: { input_tokens: 30 } });
  });

  it("CNV-14 follows the deployed agent's prefix and says what moved", () => {
    const started = running(freshConversation(), "a");
    const prefix = prefixOf({ instructions: "Be thorough.", tools: [{ name: "look_up" }] });
    const state = commitTurn(started, answerTo(started, { prefix }), LATER);
    expect(state.head.prefix).toEqual(prefix);
    expect(state.head.prefix_change_report).toEqual({
      instructions: true,
      tools: { added: ["look_up"], removed: [], changed: [] },
    });
    const again = running(state, "b");
    const same = commitTurn(again, answerTo(again, { prefix }), LATER);
    expect(same.head.prefix_change_report).toEqual(state.head.prefix_change_report);
  });

  it("CNV-15 changes nothing where no turn runs", () => {
    const idle = committed(freshConversation(), "a");
    expect(commitTurn(idle, answerTo(idle), LATER)).toBe(idle);
    expect(interruptTurn(idle, failure, LATER)).toBe(idle);
    expect(refuseTurn(idle, "unknown_tool", "No such tool.")).toBe(idle);
    expect(markCancelled(idle, "Stopped.")).toBe(idle);
    expect(cancelQueued(idle, "a", LATER, "Stopped.")).toBe(idle);
  });
});

describe("a turn that does not complete", () => {
  it("CNV-16 leaves its record and nothing in the history", () => {
    const started = running(committed(freshConversation(), "a"), "b", { files: [file], resend_of: "z" });
    const state = interruptTurn(started, failure, LATER);
    const record = {
      error_type: "provider.overloaded",
      error: "Too busy.",
      failed_at: LATER,
      message: "Question of b",
      turn_id: "b",
      attempts: 6,
      partial_text: "The cl",
      tool_calls: [],
      usage: ONE_CALL,
      files: [file],
    };
    expect(state.head.interrupted_turn).toEqual(record);
    expect(findTurn(state, "b")).toEqual({ turn_id: "b", state: "interrupted", record, resend_of: "z" });
    expect(state.head.root).toEqual(started.head.root);
    expect(listOf(state, "messages")).toBe(listOf(started, "messages"));
    expect(listOf(state, "turns").at(-1)).toMatchObject({
      turn_id: "b",
      state: "interrupted",
      provider_calls: 6,
      finish_reason: null,
      error_type: "provider.overloaded",
      error: "Too busy.",
    });
  });

  it("CNV-17 without details says of an interrupted turn that nothing is known", () => {
    const state = interruptTurn(
      running(freshConversation(), "a"),
      { error_type: "turn.timeout", error: "Too long." },
      LATER,
    );
    expect(state.head.interrupted_turn).toMatchObject({ attempts: 0, partial_text: "", tool_calls: [] });
    expect(state.head.totals.provider_calls).toBe(0);
  });

  it("CNV-18 remembers the first reason for which a running turn was stopped", () => {
    const once = markCancelled(running(freshConversation(), "a"), "Stopped by Ann.");
    expect(once.running?.cancelled).toEqual({ reason: "Stopped by Ann." });
    expect(markCancelled(once, "Stopped by Bob.")).toBe(once);
  });

  it("CNV-183 is shown to be stopping from the stop until it has ended", () => {
    const started = running(freshConversation(), "a");
    expect(turnView(started, "a")).not.toHaveProperty("stopping");
    const stopped = admitted(markCancelled(started, "Stopped."), "b").state;
    expect(turnView(stopped, "a")).toMatchObject({ state: "running", stopping: true });
    expect(turnView(stopped, "b")).not.toHaveProperty("stopping");
    expect(turnView(interruptTurn(stopped, failure, LATER), "a")).not.toHaveProperty("stopping");
  });

  it("CNV-19 ends a waiting turn that is cancelled as interrupted, with its account, and leaves the last turn's record alone", () => {
    const started = running(freshConversation(), "a");
    const waiting = admitted(admitted(started, "b", { resend_of: "z" }).state, "c").state;
    const state = cancelQueued(waiting, "b", LATER, "Not needed.");
    expect(state.head.queue.map(({ turn_id }) => turn_id)).toEqual(["c"]);
    expect(state.running).toBe(waiting.running);
    expect(state.head.interrupted_turn).toBeNull();
    expect(findTurn(state, "b")).toMatchObject({
      state: "interrupted",
      resend_of: "z",
      record: { error_type: "turn.cancelled", error: "Not needed.", message: "Question of b", attempts: 0 },
    });
    expect(listOf(state, "turns")).toEqual([
      expect.objectContaining({ turn_id: "b", state: "interrupted", provider_calls: 0, started_at: LATER }),
    ]);
    expect(cancelQueued(state, "b", LATER, "Again.")).toBe(state);
  });

  it("CNV-20 remembers a refused turn with its reason, without an account", () => {
    const state = refuseTurn(running(freshConversation(), "a"), "unknown_tool", "No such tool.");
    expect(findTurn(state, "a")).toEqual({
      turn_id: "a",
      state: "refused",
      reason: "unknown_tool",
      error: "No such tool.",
    });
    expect(state.running).toBeNull();
    expect(listOf(state, "turns")).toEqual([]);
    const signalled = refuseSubmission(freshConversation(), "b", "closed", "It is closed.");
    expect(turnView(signalled, "b")).toMatchObject({ state: "refused", reason: "closed" });
  });
});

describe("the checkpoint of a turn", () => {
  const checkpoint = "/var/review.json";

  it("CNV-21 says of each turn whether the file holds it, and null while it is being written", () => {
    const bare = committed(freshConversation(), "a");
    expect(turnView(bare, "a")).not.toHaveProperty("checkpointed");
    const one = committed(freshConversation({ checkpoint }), "a");
    expect(turnView(one, "a").checkpointed).toBeNull();
    const written = checkpointEnded(one, { run_count: 1 });
    expect(turnView(written, "a").checkpointed).toBe(true);
    expect(written.head.checkpoint).toEqual({ path: checkpoint, run_count: 1, turn_id: "a", error: null });
    const two = committed(written, "b");
    expect([turnView(two, "a").checkpointed, turnView(two, "b").checkpointed]).toEqual([true, null]);
    const failed = checkpointEnded(two, { error: "The disk is full." });
    expect([turnView(failed, "a").checkpointed, turnView(failed, "b").checkpointed]).toEqual([true, false]);
    expect(failed.head.checkpoint).toMatchObject({ run_count: 1, turn_id: "a", error: "The disk is full." });
    const three = checkpointEnded(committed(failed, "c"), { run_count: 3 });
    expect(turnView(three, "b").checkpointed).toBe(true);
  });

  it("CNV-22 is due after every ended turn, the failed ones too", () => {
    for (const end of [
      interruptTurn(running(freshConversation({ checkpoint }), "a"), failure, LATER),
      refuseTurn(running(freshConversation({ checkpoint }), "a"), "unknown_tool", "No such tool."),
    ]) {
      expect(turnView(end, "a").checkpointed).toBeNull();
      expect(turnView(checkpointEnded(end, { run_count: 0 }), "a").checkpointed).toBe(true);
    }
    const idle = freshConversation({ checkpoint });
    expect(checkpointEnded(idle, { run_count: 0 })).toBe(idle);
    expect(turnView(admitted(idle, "a").state, "a")).not.toHaveProperty("checkpointed");
  });

  it("CNV-23 is no part of the envelope", () => {
    const state = checkpointEnded(committed(freshConversation({ checkpoint }), "a"), { run_count: 1 });
    expect(JSON.stringify(envelopeOf(state, LATER))).not.toContain(checkpoint);
  });
});
