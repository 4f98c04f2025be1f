/** A closed conversation, read from its last envelope. */
import { storeMedia } from "../connection/store-media.js";
import { restoredState } from "../core/conversation/restore.js";
import { grown } from "../core/conversation/segment.js";
import type { ConversationState } from "../core/conversation/state.js";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, Prefix } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { fromFileData } from "../core/media/google-files.js";
import type { MediaStore } from "../core/media/media-store.js";

/** The closed conversation's state, for reading only. Bytes that an older release kept in the envelope go into the store. */
export async function closedState(kept: Envelope, store: MediaStore): Promise<ConversationState> {
  const envelope = fromFileData(await storeMedia(kept, store));
  const agent = envelope.agent !== null && typeof envelope.agent === "object" ? envelope.agent : undefined;
  const spec = agent ?? {
    model: `${envelope.provider}:${envelope.model}`,
    instructions: "",
    tools: [],
    params: {},
  };
  const prefix: Prefix = envelope.prefix ?? prefixOf(spec);
  const state = restoredState(envelope, dialectFor(envelope.provider), {
    conversationId: envelope.conversation_id,
    now: envelope.saved_at,
    agent: spec,
    prefix,
    checkpoint: null,
    schemaVersion: null,
  });
  return grown(state, { media_report: envelope.media_report });
}
