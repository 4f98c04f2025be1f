/** Why a turn did not complete, read from what its activity failed with. */
import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from "@temporalio/workflow";
import type { CallModelFailureDetails } from "../core/conversation/activity-contract.js";
import type { RunningTurn } from "../core/conversation/state.js";
import type { TurnFailure } from "../core/conversation/turn.js";
import { isJsonObject } from "../core/json.js";

/** `type` of the failure with which an activity says that the turn must be refused rather than recorded as interrupted. */
export const TURN_REFUSED = "turn.refused";

export type TurnEnd = TurnFailure | { readonly refused: string; readonly error: string };

/**
 * Whether a user stopped the turn is the workflow's own flag, never guessed from the failure. `spent` is what was known of
 * the call when it was stopped; what the failure itself says wins.
 */
export function turnEndOf(error: unknown, running: RunningTurn, spent?: CallModelFailureDetails): TurnEnd {
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  const own = detailsOf(cause);
  const details = own === undefined ? spent : { ...spent, ...own };
  if (running.cancelled !== null) {
    return {
      error_type: "turn.cancelled",
      error: running.cancelled.reason,
      ...(details === undefined ? {} : { details }),
    };
  }
  if (cause instanceof TimeoutFailure) {
    const error =
      "The turn took longer than its bound and was given up: ask again, or allow it more time on the worker.";
    return { error_type: "turn.timeout", error, ...(details === undefined ? {} : { details }) };
  }
  if (cause instanceof ApplicationFailure && cause.type === TURN_REFUSED) {
    return { refused: String(cause.details?.[0] ?? "invalid"), error: cause.message };
  }
  const type = cause instanceof ApplicationFailure ? (cause.type ?? "turn.failed") : "turn.failed";
  const message = cause instanceof Error ? cause.message : String(cause);
  return { error_type: type, error: message, ...(details === undefined ? {} : { details }) };
}

function detailsOf(cause: unknown): CallModelFailureDetails | undefined {
  if (cause instanceof TimeoutFailure) return heartbeatDetails(cause.lastHeartbeatDetails);
  if (!(cause instanceof ApplicationFailure || cause instanceof CancelledFailure)) return undefined;
  const first = cause.details?.[0];
  return isJsonObject(first) && typeof first.provider_calls === "number"
    ? (first as unknown as CallModelFailureDetails)
    : undefined;
}

/** A call that never answered leaves what its last heartbeat said. */
function heartbeatDetails(value: unknown): CallModelFailureDetails | undefined {
  if (!isJsonObject(value) || typeof value.calls !== "number") return undefined;
  return {
    attempt: typeof value.attempt === "number" ? value.attempt : 0,
    provider_calls: value.calls,
    ...(typeof value.partial_text === "string" ? { partial_text: value.partial_text } : {}),
  };
}
