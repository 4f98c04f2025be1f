/** The end of a conversation, and whether its last envelope was kept. */
import type { ConversationEnd } from "../core/conversation/messages.js";
import { cleanText } from "../core/errors/clean-text.js";
import { isJsonObject } from "../core/json.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import type { CloseResult } from "./conversation-options.js";
import { wasClosed } from "./was-closed.js";

const REASON_BYTES = 1_024;

/** Waits for the end. `signal` asks for it. @throws what the call fails with, but for a conversation that was closed before. */
export async function closeConversation(
  context: ClientContext,
  id: string,
  signal: () => Promise<void>,
): Promise<CloseResult> {
  const handle = context.client.workflow.getHandle(id);
  try {
    await signal();
    const end = await callConversation(context, id, () => handle.result());
    return isEnd(end) ? notKept(context, id, end) : { envelopeKept: true };
  } catch (error) {
    if (!(await wasClosed(context, id, error))) throw error;
    return { envelopeKept: (await context.closed.find(id)) !== undefined };
  }
}

function isEnd(value: unknown): value is ConversationEnd {
  return isJsonObject(value) && typeof value.envelope_error === "string";
}

function notKept({ logger }: ClientContext, id: string, { envelope_error }: ConversationEnd): CloseResult {
  const reason = cleanText(envelope_error, REASON_BYTES).replace(/\.$/, "");
  const warning = `Conversation ${id} is closed, but its last envelope was not kept: ${reason}. Export it while the server still has it: holdfast export ${id}.`;
  logger.warn(warning, { conversation_id: id });
  return { envelopeKept: false, warning };
}
