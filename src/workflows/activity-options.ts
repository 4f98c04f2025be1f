/** How long activities may take and who retries them (design rules 11 and 12, contract §4). */
import type { ActivityOptions } from "@temporalio/workflow";
import { ActivityCancellationType } from "@temporalio/workflow";

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
