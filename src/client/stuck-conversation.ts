/** A conversation that no worker can continue: each one fails its workflow task, and calls to it would only time out. */
import type { Client } from "@temporalio/client";
import proto from "@temporalio/proto";

const { EVENT_TYPE_WORKFLOW_TASK_FAILED } = proto.temporal.api.enums.v1.EventType;
const LATEST_EVENTS = 10;

/** Why workers fail its workflow task, in the words of the last one; undefined where they do not, or where nobody knows. */
export async function stuckBecause(
  client: Client,
  namespace: string,
  workflowId: string,
): Promise<string | undefined> {
  const execution = { workflowId };
  try {
    const { pendingWorkflowTask } = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution,
    });
    if ((pendingWorkflowTask?.attempt ?? 0) < 2) return undefined;
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
