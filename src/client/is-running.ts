/** Whether a conversation is open, as the server tells it. */
import { type Client, WorkflowNotFoundError } from "@temporalio/client";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { UsageError } from "../core/errors/errors.js";
import { unwrapFailure } from "./unwrap-failure.js";

/** Undefined where the server knows no such conversation. @throws UsageError for a workflow of another type. */
export async function isRunning(client: Client, id: string): Promise<boolean | undefined> {
  try {
    const { status, type } = await client.workflow.getHandle(id).describe();
    if (type !== WORKFLOW_TYPE)
      throw new UsageError(`${id} is a workflow of type ${type}, not a conversation: use another id.`);
    return status.name === "RUNNING";
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw unwrapFailure(error, id);
  }
}
