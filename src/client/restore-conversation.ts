import { convertWithMedia } from "../connection/convert-with-media.js";
import { storeMedia } from "../connection/store-media.js";
import { Agent } from "../core/agent.js";
import type { CheckpointStatus } from "../core/conversation/messages.js";
import { restoredState } from "../core/conversation/restore.js";
import { grown } from "../core/conversation/segment.js";
import type { ConversationState } from "../core/conversation/state.js";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, MediaReportEntry } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import { UsageError } from "../core/errors/errors.js";
import { markerPlaces, missingMedia } from "../core/media/inline-media.js";
import type { MediaStore } from "../core/media/media-store.js";
import { dialectOf } from "../core/providers.js";
import { assertAgent } from "./option-names.js";

export interface RestoreOptions {
  readonly agent: Agent | undefined;
  readonly conversationId: string;
  readonly mediaStore: MediaStore;
  readonly checkpoint: CheckpointStatus | null;
  readonly now: string;
  /** False: a history of another provider is refused unless it is plain text. */
  readonly convert: boolean;
}

/** @throws SessionCompatibilityError for a history that cannot be converted, UsageError where no agent is known. */
export async function restoreConversation(
  { envelope, migratedFrom }: ParsedEnvelope,
  options: RestoreOptions,
): Promise<ConversationState> {
  if (options.agent !== undefined) assertAgent(options.agent);
  const agent = options.agent ?? agentOf(envelope);
  const { provider, model } = envelope;
  const crosses = dialectOf(provider) !== agent.resolved.dialect;
  const { mediaStore: store, convert } = options;
  const converted = crosses ? await convertWithMedia(envelope, agent.resolved, { store, convert }) : envelope;
  const stored = await storeMedia(converted, options.mediaStore);
  const original = envelope.conversation_id;
  const isCopy = original !== "" && original !== options.conversationId;
  const state = restoredState(stored, dialectFor(stored.provider), {
    conversationId: options.conversationId,
    now: options.now,
    agent: agent.spec,
    prefix: prefixOf(agent.spec),
    checkpoint: options.checkpoint,
    schemaVersion: migratedFrom,
    savedUnder: { provider, model },
    ...(isCopy ? { copiedFrom: { conversation_id: original, turn: envelope.metadata.run_count } } : {}),
  });
  return grown(state, { media_report: await missingBlobs(stored, options.mediaStore) });
}

/** Markers that came in the envelope without their bytes, and that the store does not have either. */
async function missingBlobs(envelope: Envelope, store: MediaStore): Promise<readonly MediaReportEntry[]> {
  const dialect = dialectFor(envelope.provider);
  const found = new Set<string>();
  for (const { key } of markerPlaces(dialect, envelope.messages)) {
    if (!found.has(key) && (await store.get(key)) !== undefined) found.add(key);
  }
  return missingMedia(dialect, envelope.messages, { media: envelope.media, has: (key) => found.has(key) });
}

function agentOf(envelope: Envelope): Agent {
  const { agent, provider, model } = envelope;
  if (agent !== null && typeof agent === "object") return Agent.fromSpec(agent);
  if (model === "") {
    throw new UsageError("The envelope names no model: give the agent that shall continue it.");
  }
  return new Agent({ ...(agent === null ? {} : { name: agent }), model: `${provider}:${model}` });
}
