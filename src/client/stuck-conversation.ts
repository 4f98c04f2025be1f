/** A conversation that no worker can continue: each one fails its workflow task, and calls to it would only time out. */
import type { Client } from "@temporalio/client";
import proto from "@temporalio/proto";

const { EVENT_TYPE_WORKFLOW_TASK_FAILED } = proto.temporal.api.enums.v1.EventType;
const LATEST_EVENTS = 10;
/**
 * The attempt that waits once two have failed. One failure says little: after a workflow task was lost under load a worker
 * may hold a state that the server never got, fails once for it, and the next attempt replays the history as it is.
 */
const STUCK_ATTEMPT = 3;

export type PendingTask = proto.temporal.api.workflow.v1.IPendingWorkflowTaskInfo;

/** The conversation's workflow task that waits for a worker, or is with one; undefined where there is none, or nobody knows. */
export async function pendingTask(
  client: Client,
  namespace: string,
  workflowId: string,
): Promise<PendingTask | undefined> {
  const request = { namespace, execution: { workflowId } };
  return client.workflowService.describeWorkflowExecution(request).then(
    ({ pendingWorkflowTask }) => pendingWorkflowTask ?? undefined,
    () => undefined,
  );
}

/** Why workers fail its workflow task, in the words of the last one; undefined where they do not, or where nobody knows. */
export async function stuckBecause(
  client: Client,
  namespace: string,
  workflowId: string,
  task: PendingTask | undefined,
): Promise<string | undefined> {
  const execution = { workflowId };
  try {
    if ((task?.attempt ?? 0) < STUCK_ATTEMPT) return undefined;
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution,
      maximumPageSize: LATEST_EVENTS,
    });
    const failed = history?.events?.find(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_FAILED);
    return failed?.workflowTaskFailedEventAttributes?.failure?.message ?? undefined;
  } catch {
    return undefined;
  }
}
