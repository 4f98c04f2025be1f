/** Before a run continues as new: the update with which it does. */
import { CompleteAsyncError, Context } from "@temporalio/activity";
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from "@temporalio/client";
import type { ConfirmMoveInput } from "../core/conversation/activity-contract.js";
import * as m from "../workflows/messages.js";
import { activityFailure, errorMessage } from "./activity-failure.js";

/** Always left open: the run that waits for it is over before its answer could arrive. @throws for another try. */
export async function confirmMove({ conversation_id, run_id }: ConfirmMoveInput): Promise<void> {
  const handle = Context.current().client.workflow.getHandle(conversation_id, run_id);
  try {
    await handle.executeUpdate(m.confirmMove, { updateId: "confirm_move" });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError))
      throw activityFailure("move.not_confirmed", errorMessage(error), { retryable: true });
  }
  throw new CompleteAsyncError();
}
