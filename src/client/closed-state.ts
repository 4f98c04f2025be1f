/** A closed conversation, read from its last envelope. */
import { restoredState } from "../core/conversation/restore.js";
import type { ConversationState } from "../core/conversation/state.js";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, Prefix } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";

/** The closed conversation's state, for reading only. */
export function closedState(envelope: Envelope): ConversationState {
  const agent = envelope.agent !== null && typeof envelope.agent === "object" ? envelope.agent : undefined;
  const spec = agent ?? {
    model: `${envelope.provider}:${envelope.model}`,
    instructions: "",
    tools: [],
    params: {},
  };
  const prefix: Prefix = envelope.prefix ?? prefixOf(spec);
  return restoredState(envelope, dialectFor(envelope.provider), {
    conversationId: envelope.conversation_id,
    now: envelope.saved_at,
    agent: spec,
    prefix,
    checkpoint: null,
    schemaVersion: null,
  });
}
