/** What a stopped turn does not begin any more: a call, or a tool. */
import type { Context } from "@temporalio/activity";
import type { CallModelInput } from "../core/conversation/activity-contract.js";
import type { ActivityDependencies } from "./dependencies.js";
import { isStopping } from "./is-stopping.js";

/** After its start a worker finds what came while there was none. */
const YOUNG_MS = 10_000;

/**
 * Whether the turn may have been told to stop before this attempt began: while nobody worked, or while the attempt before this one
 * was over. What comes once this worker has called for the turn finds it at work. The workflow task that takes a stop asks what
 * has been spent before it cancels (decision 0030), so the server may not know of it yet.
 */
export function mayHaveWaited(
  { info }: Context,
  { madeMs, turnsAtWork }: Pick<ActivityDependencies, "madeMs" | "turnsAtWork">,
  turn: Pick<CallModelInput, "conversation_id" | "turn_id">,
): boolean {
  if (info.attempt > 1) return true;
  if (madeMs === undefined || performance.now() - madeMs >= YOUNG_MS) return false;
  return turnsAtWork?.has(turn) !== true;
}

/** @throws CancelledFailure, once the cancel is here, where the turn is being stopped: the caller beats, and so is told of it. */
export async function assertNotStopping(context: Context, turnId: string): Promise<void> {
  const { activityId, workflowExecution } = context.info;
  if (workflowExecution === undefined) return;
  const activity = {
    conversation_id: workflowExecution.workflowId,
    run_id: workflowExecution.runId,
    turn_id: turnId,
    activity_id: activityId,
  };
  if (await isStopping(context.client, activity)) await context.cancelled;
}
