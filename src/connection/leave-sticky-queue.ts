/** Frees a conversation from the worker that had it cached. */
import type { Client } from "@temporalio/client";

/**
 * Where that worker has died, the server would wait two seconds for it with the next query and with the next workflow task.
 * Where it lives it replays once. Never throws.
 */
export async function leaveStickyQueue(client: Client, workflowId: string, runId?: string): Promise<void> {
  const execution = { workflowId, ...(runId === undefined ? {} : { runId }) };
  try {
    const { namespace } = client.options;
    await client.workflowService.resetStickyTaskQueue({ namespace, execution });
  } catch {
    // Then it is waited for.
  }
}
