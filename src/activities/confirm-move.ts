/** Before a run continues as new: the update with which it does. */
import { setTimeout as delay } from "node:timers/promises";
import { CompleteAsyncError, Context } from "@temporalio/activity";
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import type { ConfirmMoveInput } from "../core/conversation/activity-contract.js";
import * as m from "../workflows/messages.js";
import { activityFailure, errorMessage } from "./activity-failure.js";

const MOST_TRIES = 20;
const WAIT_MS = 100;

/** Always left open: the run that waits for it is over before its answer could arrive. @throws for another try. */
export async function confirmMove(input: ConfirmMoveInput): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await confirm(input);
      throw new CompleteAsyncError();
    } catch (error) {
      if (error instanceof CompleteAsyncError || isOver(error)) throw new CompleteAsyncError();
      // A signal that came in between: the server gave the run's last task up, and the update with it.
      if (tries >= MOST_TRIES)
        throw activityFailure("move.not_confirmed", errorMessage(error), { retryable: true });
      await delay(WAIT_MS, undefined, { signal: Context.current().cancellationSignal });
    }
  }
}

function confirm({ conversation_id, run_id }: ConfirmMoveInput): Promise<void> {
  const handle = Context.current().client.workflow.getHandle(conversation_id, run_id);
  return handle.executeUpdate(m.confirmMove, { updateId: "confirm_move" });
}

/** The run has ended, with this update or before it. */
function isOver(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === "AcceptedUpdateCompletedWorkflow";
}
