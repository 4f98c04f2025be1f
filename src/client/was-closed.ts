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

/** The answer to a call. A conversation that was closed is not unknown: it says how it can go on. */
export async function unlessClosed<T>(
  context: ClientContext,
  id: string,
  call: Promise<T>,
  refusal: (message: string) => Error,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(await wasClosed(context, id, error))) throw error;
    throw refusal(
      `Conversation ${id} was closed: export its envelope and import that, to go on where it ended.`,
    );
  }
}
