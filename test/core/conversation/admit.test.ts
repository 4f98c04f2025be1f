import { describe, expect, it } from "vitest";
import {
  admit,
  isRefused,
  knownReceipt,
  QUEUE_LIMIT,
  submissionIssue,
} from "../../../src/core/conversation/admit.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { withHead } from "../../../src/core/conversation/state.js";
import { cancelQueued, interruptTurn, refuseTurn } from "../../../src/core/conversation/turn.js";
import type { FileMarker } from "../../../src/core/envelope/envelope.js";
import { admitted, committed, freshConversation, running } from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";

const file: FileMarker = {
  marker: `$media:${"a".repeat(64)}.pdf`,
  mime_type: "application/pdf",
  size_bytes: 3,
  name: "contract.pdf",
};

const refusalOf = (state: ConversationState, submission: object = {}) => {
  const outcome = admit(state, { message: "Again?", ...submission }, { now: SAMPLE_TIME, turnId: "another" });
  return isRefused(outcome) ? outcome : undefined;
};

describe("the shape of a submission", () => {
  it("WRK-14 names the workflow that is told, by its id alone", () => {
    for (const reply_to of [
      null,
      "parent",
      {},
      { workflow_id: "" },
      { workflow_id: 7 },
      { workflow_id: "x".repeat(1_001) },
    ])
      expect(submissionIssue({ message: "Hi", reply_to })).toMatch(
        /^submit_turn: `reply_to` must be \{workflow_id\}/,
      );
    expect(submissionIssue({ message: "Hi", reply_to: { workflow_id: "parent" } })).toBeUndefined();
    const reply_to = { workflow_id: "parent", surplus: "x".repeat(100_000) };
    const outcome = admit(
      freshConversation(),
      { message: "Hi", reply_to },
      { now: SAMPLE_TIME, turnId: "t" },
    );
    expect(isRefused(outcome) ? undefined : outcome.state.head.queue[0]?.reply_to).toEqual({
      workflow_id: "parent",
    });
  });

  it.each([
    [undefined],
    [null],
    ["text"],
    [7],
    [[]],
    [{}],
    [{ message: 7 }],
    [{ message: null }],
    [{ message: "" }],
    [{ message: " \n\t" }],
    [{ message: "", files: [] }],
    [{ holdfast_undecodable: true, bytes: 4, reason: "…" }],
    [{ message: "Hi", turn_id: "" }],
    [{ message: "Hi", turn_id: 7 }],
    [{ message: "Hi", turn_id: "x".repeat(201) }],
    [{ message: "Hi", turn_id: null }],
    [{ message: "Hi", resend_of: "" }],
    [{ message: "Hi", resend_of: {} }],
    [{ message: "Hi", on_busy: "wait" }],
    [{ message: "Hi", on_busy: ["queue"] }],
    [{ message: "Hi", files: file }],
    [{ message: "Hi", files: "contract.pdf" }],
    [{ message: "Hi", files: [file, null] }],
    [{ message: "Hi", files: ["contract.pdf"] }],
    [{ message: "Hi", files: [{ ...file, marker: "$media:../../etc/passwd" }] }],
    [{ message: "Hi", files: [{ ...file, mime_type: "" }] }],
    [{ message: "Hi", files: [{ ...file, size_bytes: -1 }] }],
    [{ message: "Hi", files: [{ ...file, size_bytes: Number.NaN }] }],
    [{ message: "Hi", files: [{ ...file, size_bytes: "3" }] }],
    [{ message: "Hi", files: [{ ...file, json_bytes: 1.5 }] }],
    [{ message: "Hi", files: [{ ...file, name: "n".repeat(501) }] }],
    [{ message: "Hi", files: Array.from({ length: 1_001 }, () => file) }],
  ])("CNV-1 refuses %j with one line", (value) => {
    const issue = submissionIssue(value);
    expect(issue).toMatch(/^\S.{10,200}$/);
    expect(issue).not.toContain("\n");
  });

  it("CNV-2 takes a message alone, and a file without words", () => {
    expect(submissionIssue({ message: "Hi" })).toBeUndefined();
    expect(submissionIssue({ message: "", files: [file] })).toBeUndefined();
    const whole = { message: "Hi", turn_id: "t", resend_of: "s", on_busy: "reject", files: [file] };
    expect(submissionIssue(whole)).toBeUndefined();
    expect(submissionIssue({ message: "Hi", of_a_later_release: 1 })).toBeUndefined();
  });

  it("CNV-3 keeps nothing of a file but what is known of one", () => {
    const { state } = admitted(freshConversation(), "t", {
      files: [{ ...file, extra: { of: "anything" } } as FileMarker],
    });
    expect(state.head.queue[0]?.files).toEqual([file]);
  });
});

describe("accepting a message", () => {
  it("CNV-4 queues turns first in, first out, with how many stand before each", () => {
    const first = admitted(freshConversation(), "a");
    const second = admitted(first.state, "b");
    expect(first.receipt).toEqual({ turn_id: "a", position: 0, state: "queued" });
    expect(second.receipt).toEqual({ turn_id: "b", position: 1, state: "queued" });
    const third = admitted(running(freshConversation(), "a"), "b");
    expect(third.receipt).toEqual({ turn_id: "b", position: 1, state: "queued" });
    expect(second.state.head.queue.map(({ turn_id }) => turn_id)).toEqual(["a", "b"]);
  });

  it("CNV-5 knows a turn id whatever became of its turn, and changes nothing", () => {
    const queued = admitted(freshConversation(), "t").state;
    const started = running(freshConversation(), "t");
    const failure = { error_type: "provider.overloaded", error: "Too busy." };
    const known: readonly (readonly [string, ConversationState])[] = [
      ["queued", queued],
      ["running", started],
      ["committed", committed(freshConversation(), "t")],
      ["interrupted", interruptTurn(started, failure, SAMPLE_TIME)],
      ["interrupted", cancelQueued(queued, "t", SAMPLE_TIME, "Stopped.")],
      ["refused", refuseTurn(started, "unknown_tool", "No such tool.")],
    ];
    for (const [state, before] of known) {
      const again = admitted(before, "t", { on_busy: "interrupt" });
      expect(again.receipt).toEqual({ turn_id: "t", position: 0, state });
      expect(again.state).toBe(before);
      expect(again.interrupts).toBe(false);
    }
    expect(knownReceipt(freshConversation(), "t")).toBeUndefined();
  });

  it("CNV-6 refuses with busy where on_busy says reject, while a turn runs or waits", () => {
    expect(refusalOf(freshConversation(), { on_busy: "reject" })).toBeUndefined();
    for (const busy of [running(freshConversation(), "t"), admitted(freshConversation(), "t").state]) {
      expect(refusalOf(busy, { on_busy: "reject" })).toEqual({
        refused: "busy",
        error: expect.stringContaining("review is busy"),
      });
    }
  });

  it("CNV-7 puts a turn that interrupts before all that wait, and asks for the running one to be stopped", () => {
    const waiting = admitted(running(freshConversation(), "a"), "b").state;
    const urgent = admitted(waiting, "c", { on_busy: "interrupt" });
    expect(urgent.interrupts).toBe(true);
    expect(urgent.receipt.position).toBe(1);
    expect(urgent.state.head.queue.map(({ turn_id }) => turn_id)).toEqual(["c", "b"]);
    expect(admitted(freshConversation(), "c", { on_busy: "interrupt" }).interrupts).toBe(false);
  });

  it("CNV-8 takes nothing once it is closing, but still knows the turns it has", () => {
    const closing = withHead(committed(freshConversation(), "t"), { closing: true });
    expect(refusalOf(closing)).toEqual({ refused: "closed", error: expect.stringContaining("closed") });
    expect(admitted(closing, "t").receipt.state).toBe("committed");
  });

  it("CNV-9 lets a thousand turns wait and no more", () => {
    const queue = Array.from({ length: QUEUE_LIMIT }, (_, index) => ({
      turn_id: `t${index}`,
      message: "Hi",
      accepted_at: SAMPLE_TIME,
    }));
    const full = withHead(freshConversation(), { queue });
    expect(refusalOf(full)).toEqual({ refused: "busy", error: expect.stringContaining("1000 turns wait") });
    expect(refusalOf(withHead(full, { queue: queue.slice(1) }))).toBeUndefined();
  });
});
