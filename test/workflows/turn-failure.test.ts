import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TimeoutFailure,
} from "@temporalio/common";
import { describe, expect, it } from "vitest";
import type { RunningTurn } from "../../src/core/conversation/state.js";
import { turnEndOf } from "../../src/workflows/turn-failure.js";

const running: RunningTurn = {
  turn_id: "t1",
  message: "Question",
  accepted_at: "2026-01-01T00:00:00.000Z",
  started_at: "2026-01-01T00:00:00.000Z",
  cancelled: null,
  staged: [],
  root: null,
  calls: [],
  tool_calls: [],
  tool_files: [],
  approvals: [],
  parked_ms: 0,
};
const stopped: RunningTurn = { ...running, cancelled: { reason: "Enough." } };

const ofActivity = (cause: Error): ActivityFailure =>
  new ActivityFailure("Activity task failed", "callModel", "1", RetryState.TIMEOUT, "holdfast-1", cause);

describe("the end of a turn that did not complete", () => {
  it("WFL-68 is turn.timeout when Temporal's bound ends it in the middle of a call, with what the last beat said", () => {
    const timeout = new TimeoutFailure(
      "activity ScheduleToClose timeout",
      { attempt: 3, calls: 2 },
      "SCHEDULE_TO_CLOSE",
    );
    expect(turnEndOf(ofActivity(timeout), running)).toMatchObject({
      error_type: "turn.timeout",
      details: { attempt: 3, provider_calls: 2 },
    });
    const silent = turnEndOf(
      ofActivity(new TimeoutFailure("activity timeout", undefined, "SCHEDULE_TO_CLOSE")),
      running,
    );
    expect(silent).toEqual({ error_type: "turn.timeout", error: expect.stringContaining("ask again") });
  });

  it("WFL-140 takes from what was known when it was stopped what its failure does not say", () => {
    const spent = { attempt: 2, provider_calls: 2, partial_text: "Beg" };
    const waiting = new CancelledFailure("Cancelled", ["ACTIVITY_ID_NOT_STARTED"]);
    expect(turnEndOf(ofActivity(waiting), stopped, spent)).toMatchObject({ details: spent });
    expect(turnEndOf(new CancelledFailure("Nobody answered."), stopped, spent)).toMatchObject({
      error_type: "turn.cancelled",
      details: spent,
    });
    const lost = ApplicationFailure.retryable("Lost.", "worker.lost", { attempt: 3, provider_calls: 3 });
    expect(turnEndOf(ofActivity(lost), stopped, spent)).toMatchObject({
      details: { attempt: 3, provider_calls: 3, partial_text: "Beg" },
    });
  });

  it("WFL-77 is a user's stop by the workflow's own flag only, whatever the activity failed with", () => {
    const details = { attempt: 1, provider_calls: 1, partial_text: "Beg" };
    for (const cause of [
      new CancelledFailure("Cancelled", [details]),
      ApplicationFailure.nonRetryable("Bad.", "provider.bad_request", details),
      new TimeoutFailure("activity Heartbeat timeout", undefined, "HEARTBEAT"),
    ]) {
      expect(turnEndOf(ofActivity(cause), stopped)).toMatchObject({
        error_type: "turn.cancelled",
        error: "Enough.",
      });
    }
    expect(turnEndOf(ofActivity(new CancelledFailure("Cancelled", [details])), stopped)).toMatchObject({
      details,
    });
    expect(turnEndOf(ofActivity(new CancelledFailure("Cancelled", [])), running)).toMatchObject({
      error_type: "turn.failed",
    });
  });

  it("WFL-78 is a refusal where the worker would not call the provider, else the type that the worker gave", () => {
    const refused = ApplicationFailure.nonRetryable("No tool.", "turn.refused", "unknown_tool");
    expect(turnEndOf(ofActivity(refused), running)).toEqual({ refused: "unknown_tool", error: "No tool." });
    const failed = ApplicationFailure.nonRetryable("Bad.", "provider.bad_request", "not details");
    expect(turnEndOf(ofActivity(failed), running)).toEqual({
      error_type: "provider.bad_request",
      error: "Bad.",
    });
    expect(turnEndOf(new TypeError("undefined is not an object"), running)).toEqual({
      error_type: "turn.failed",
      error: "undefined is not an object",
    });
  });
});
