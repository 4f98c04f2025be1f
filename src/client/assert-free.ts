/** Whether an id is free for a new conversation. */
import type { ClientContext } from "./client-context.js";
import { existsError } from "./conversation-id.js";
import type { IfExists } from "./conversation-options.js";
import { isRunning } from "./is-running.js";

/** An envelope may come back under the id of the conversation it was saved from, once that one is closed. */
export async function assertFree({ client }: ClientContext, id: string): Promise<void> {
  if ((await isRunning(client, id)) === true) throw existsError(id, true);
}

/** The server forgets closed conversations in time; their last envelopes do not. */
export async function assertNotClosed(
  { client, closed }: ClientContext,
  id: string,
  ifExists: IfExists,
): Promise<void> {
  if ((await closed.find(id)) === undefined) return;
  const running = (await isRunning(client, id)) === true;
  if (ifExists !== "open" || !running) throw existsError(id, running);
}
