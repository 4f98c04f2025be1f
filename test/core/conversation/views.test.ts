import { describe, expect, it } from "vitest";
import { PAGE_BYTES } from "../../../src/core/conversation/messages.js";
import { grown } from "../../../src/core/conversation/segment.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { withHead } from "../../../src/core/conversation/state.js";
import { commitTurn, interruptTurn, refuseTurn } from "../../../src/core/conversation/turn.js";
import {
  descriptionOf,
  interruptedTurnOf,
  metadataOf,
  statusOf,
  turnView,
} from "../../../src/core/conversation/views.js";
import type { ServedModel } from "../../../src/core/envelope/envelope.js";
import { jsonByteLength } from "../../../src/core/json-byte-length.js";
import {
  admitted,
  answerTo,
  committed,
  freshConversation,
  ONE_CALL,
  running,
} from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";

const failure = { error_type: "provider.network", error: "No answer." };

/** A conversation in which everything that a view of small fields lists is as large as it can get. */
function crowded(): ConversationState {
  const long = "é".repeat(200);
  const queue = Array.from({ length: 1_000 }, (_, index) => ({
    turn_id: `${index}-${long}`.slice(0, 200),
    message: "Hi",
    accepted_at: SAMPLE_TIME,
  }));
  const refusals = Array.from({ length: 20 }, () => ({
    at: SAMPLE_TIME,
    name: "submit_turn",
    reason: "closed",
    error: "語".repeat(500),
  }));
  const served = Array.from({ length: 5_000 }, (_, turn): ServedModel => {
    return { event: "rebind", provider: "anthropic", model: "claude-haiku-4-5", at: SAMPLE_TIME, turn };
  });
  const unknown_metadata = { host_note: "x".repeat(200_000) };
  return grown(withHead(freshConversation(), { queue, refusals, unknown_metadata }), {
    served_models: served,
  });
}

describe("the view of a turn", () => {
  it("CNV-58 is unknown for an id that was never accepted", () => {
    expect(turnView(freshConversation(), "t")).toEqual({ turn_id: "t", state: "unknown" });
  });

  it("CNV-59 says where a turn stands that has not ended", () => {
    const state = admitted(running(freshConversation(), "a"), "b").state;
    expect(turnView(state, "a")).toEqual({ turn_id: "a", state: "running", position: 0 });
    expect(turnView(state, "b")).toEqual({ turn_id: "b", state: "queued", position: 1 });
  });

  it("CNV-60 has the whole result of a committed turn", () => {
    const started = running(committed(freshConversation(), "a"), "b");
    const result = answerTo(started, {
      text: "Clause 4 says so.",
      attempt: 2,
      provider_calls: 3,
      turns_left_out: 1,
    });
    expect(turnView(commitTurn(started, result, SAMPLE_TIME), "b")).toEqual({
      turn_id: "b",
      state: "committed",
      result: {
        turn_id: "b",
        output: "Clause 4 says so.",
        messages: { from: 2, to: 4 },
        provider: "anthropic",
        model: "claude-haiku-4-5",
        simulated: false,
        usage: ONE_CALL,
        finish_reason: { unified: "stop", raw: "end_turn" },
        provider_calls: 3,
        tool_calls: 0,
        media_uploads: [],
        digest: result.root.digest,
        attempt: 2,
        turns_left_out: 1,
      },
    });
  });

  it("CNV-130 has what was mended in the request, of the last turn only", () => {
    const request_mended = [{ kind: "added", artefact: "tool-result", index: 1 }] as const;
    const first = committed(freshConversation(), "a", { request_mended });
    expect(turnView(first, "a").result?.request_mended).toEqual(request_mended);
    const second = committed(first, "b", { request_mended });
    expect(turnView(second, "a").result).not.toHaveProperty("request_mended");
    expect(turnView(second, "b").result?.request_mended).toEqual(request_mended);
  });

  it("CNV-61 leaves out an output or a record above 64 KiB", () => {
    const text = "x".repeat(70 * 1024);
    const view = turnView(committed(freshConversation(), "a", { text }), "a");
    expect(view.result).toMatchObject({ output: null, messages: { from: 0, to: 2 } });
    const started = running(freshConversation(), "b", { message: text });
    const interrupted = interruptTurn(started, failure, SAMPLE_TIME);
    expect(turnView(interrupted, "b")).toEqual({ turn_id: "b", state: "interrupted" });
    expect(interruptedTurnOf(interrupted, "b")?.message).toBe(text);
  });

  it("CNV-62 answers for the oldest turn as for the newest, but for what only the last sixteen keep", () => {
    let state = freshConversation();
    for (let turn = 0; turn < 20; turn++) state = committed(state, `t${turn}`, { attempt: 3 });
    expect(state.head.recent).toHaveLength(16);
    expect(turnView(state, "t19").result?.attempt).toBe(3);
    expect(turnView(state, "t0").result).toMatchObject({
      output: "Answer",
      attempt: 1,
      digest: "",
      usage: ONE_CALL,
    });
  });

  it("CNV-63 has the record of an interrupted turn and the reason of a refused one", () => {
    const interrupted = interruptTurn(running(freshConversation(), "a"), failure, SAMPLE_TIME);
    expect(turnView(interrupted, "a").interrupted_turn).toMatchObject(failure);
    expect(interruptedTurnOf(interrupted, undefined)).toMatchObject(failure);
    const refused = refuseTurn(running(interrupted, "b"), "attachment", "No PDF.");
    expect(turnView(refused, "b")).toEqual({
      turn_id: "b",
      state: "refused",
      reason: "attachment",
      error: "No PDF.",
    });
    expect(interruptedTurnOf(refused, "b")).toBeNull();
    expect(interruptedTurnOf(refused, "a")).toMatchObject(failure);
  });
});

describe("the views of a conversation", () => {
  it("CNV-64 says whether it waits, works, closes or is closed", () => {
    const idle = freshConversation();
    expect(statusOf(idle, false).state).toBe("idle");
    expect(statusOf(admitted(idle, "a").state, false).state).toBe("running");
    expect(statusOf(running(idle, "a"), false)).toMatchObject({ state: "running", running: "a", queued: [] });
    expect(statusOf(withHead(idle, { closing: true }), false).state).toBe("closing");
    expect(statusOf(idle, true).state).toBe("closed");
  });

  it("CNV-65 counts committed messages only", () => {
    const state = running(committed(freshConversation(), "a"), "b");
    expect(statusOf(state, false)).toMatchObject({ run_count: 1, message_count: 2 });
  });

  it("CNV-66 fits a query however much waits, was refused or was served", () => {
    const state = crowded();
    const description = descriptionOf(state, false);
    expect(jsonByteLength(description)).toBeLessThan(PAGE_BYTES);
    expect(description.queued[0]).toMatch(/^0-/);
    expect(description.queued.length).toBeGreaterThan(20);
    expect(description.refusals.length).toBeGreaterThan(5);
    expect(metadataOf(state).served_models.at(-1)?.turn).toBe(4_999);
    expect(metadataOf(state)).not.toHaveProperty("host_note");
  });

  it("CNV-67 shows small lists and unknown metadata whole", () => {
    const state = withHead(committed(freshConversation(), "a"), { unknown_metadata: { host_note: 7 } });
    expect(descriptionOf(state, false)).toMatchObject({
      agent_name: null,
      has_interrupted_turn: false,
      metadata: { run_count: 1, served_models: [{ event: "start" }], host_note: 7 },
      totals: { turns: 1 },
    });
  });
});
