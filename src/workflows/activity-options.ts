/** How long activities may take and who retries them (docs/operations.md has the figures). */
import type { ActivityOptions, LocalActivityOptions } from "@temporalio/workflow";
import { ActivityCancellationType } from "@temporalio/workflow";
import type { RunningTurn } from "../core/conversation/state.js";

/**
 * A model call. The activity owns the back-off and ends as not retryable past its limit, so the policy here only brings a
 * lost worker's call back at once. One call is bounded by the worker below startToClose; scheduleToClose bounds the turn.
 */
export const CALL_MODEL_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: "60 minutes",
  startToCloseTimeout: "16 minutes",
  heartbeatTimeout: "4 seconds",
  retry: { initialInterval: "200 milliseconds", backoffCoefficient: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** Short work beside the turns: a checkpoint, the last envelope, a look at a key. */
export const SHORT_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: "2 minutes",
  startToCloseTimeout: "30 seconds",
  heartbeatTimeout: "10 seconds",
  retry: {
    initialInterval: "200 milliseconds",
    backoffCoefficient: 2,
    maximumInterval: "5 seconds",
    maximumAttempts: 5,
  },
};

/** Whether edited arguments fit: beyond this they are taken as they are, and the tool's own call checks them. */
export const CHECK_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: "15 seconds",
  startToCloseTimeout: "12 seconds",
  retry: { initialInterval: "200 milliseconds", maximumAttempts: 3 },
  summary: "edited arguments",
};

/** A word to the readers of a turn, which waits for it no longer. */
export const TELL_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: "1 second",
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.ABANDON,
};

/** The update with which a run continues as new: nothing but a call to the server. */
export const CONFIRM_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: "1 minute",
  startToCloseTimeout: "10 seconds",
  retry: { initialInterval: "100 milliseconds", backoffCoefficient: 2, maximumInterval: "2 seconds" },
  summary: "next run",
};

/** A conversion reads the whole history by query and works on it. */
export const CONVERT_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: "10 minutes",
  startToCloseTimeout: "5 minutes",
  heartbeatTimeout: "30 seconds",
  retry: {
    initialInterval: "200 milliseconds",
    backoffCoefficient: 2,
    maximumInterval: "5 seconds",
    maximumAttempts: 5,
  },
};

/** How long a turn may take with all its model calls and tools. */
const TURN_MS = 60 * 60_000;

/** After this a worker that does not beat is taken for lost. */
export const HEARTBEAT_TIMEOUT_MS = 4_000;

/** What the activity needs around the tool: to notice a stop, to store a result. */
const TOOL_MARGIN_MS = 60_000;
/** Of a tool that no worker has. */
const TOOL_MS = 60_000;
/** Of a local tool: a workflow task that waits longer is given to another worker. */
export const LOCAL_TOOL_MS = 2_000;

/** What is left of the turn's time, which does not run while it is parked. */
export function remainingMs({
  started_at,
  parked_ms,
}: Pick<RunningTurn, "started_at" | "parked_ms">): number {
  return Math.max(1_000, TURN_MS + parked_ms - (Date.now() - Date.parse(started_at)));
}

/** A call of a tool. The activity owns its retries: only it knows whether the tool had begun when a worker was lost. */
export function toolOptions(running: RunningTurn, timeoutMs: number = TOOL_MS): ActivityOptions {
  return {
    scheduleToCloseTimeout: remainingMs(running),
    startToCloseTimeout: timeoutMs + TOOL_MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { initialInterval: "200 milliseconds", backoffCoefficient: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
}

/** A call of a look-up, within the workflow task. */
export function localToolOptions(running: RunningTurn): LocalActivityOptions {
  return {
    scheduleToCloseTimeout: remainingMs(running),
    startToCloseTimeout: LOCAL_TOOL_MS + 1_000,
    localRetryThreshold: "10 seconds",
    retry: { initialInterval: "200 milliseconds", backoffCoefficient: 2, maximumAttempts: 5 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
}
