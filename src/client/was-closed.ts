/** Telling a conversation that was closed from one that never was: the server answers both with “not found”. */
import { ConversationNotFoundError } from "../core/errors/errors.js";
import type { ClientContext } from "./client-context.js";

/** Whether this failure of a call means that the conversation had been closed before. */
export async function wasClosed(
  { client, closed }: ClientContext,
  conversationId: string,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ConversationNotFoundError)) return false;
  if ((await closed.find(conversationId)) !== undefined) return true;
  return client.workflow
    .getHandle(conversationId)
    .describe()
    .then(
      ({ status }) => status.name !== "RUNNING",
      () => false,
    );
}
