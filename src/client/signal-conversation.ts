/** A signal to a conversation. It needs no worker to be accepted. */
import type { WorkflowHandle } from "@temporalio/client";
import { callAgain } from "./call-again.js";
import type { ClientContext } from "./client-context.js";
import { unwrapFailure } from "./unwrap-failure.js";

export async function signalConversation(
  { client, starting }: Pick<ClientContext, "client" | "starting">,
  conversationId: string,
  send: (handle: WorkflowHandle) => Promise<void>,
): Promise<void> {
  try {
    await starting?.ensure();
    const handle = client.workflow.getHandle(conversationId);
    await callAgain(client, conversationId, () => send(handle));
  } catch (error) {
    throw unwrapFailure(error, conversationId);
  }
}
