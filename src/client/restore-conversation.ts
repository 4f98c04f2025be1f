/** From an envelope to the state that a new conversation starts with. Everything that can be refused is refused here. */
import { createHash } from "node:crypto";
import { Agent } from "../core/agent.js";
import type { CheckpointStatus } from "../core/conversation/messages.js";
import { restoredState } from "../core/conversation/restore.js";
import { grown } from "../core/conversation/segment.js";
import type { ConversationState } from "../core/conversation/state.js";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, MediaReportEntry, NativeMessage } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import { SessionCompatibilityError, UsageError } from "../core/errors/errors.js";
import { jsonTextByteLength } from "../core/json-byte-length.js";
import {
  base64Places,
  blobId,
  extractMedia,
  mediaTable,
  type StoredMedia,
} from "../core/media/extract-media.js";
import { markerPlaces, missingMedia } from "../core/media/inline-media.js";
import { mediaKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { dialectOf } from "../core/providers.js";

export interface RestoreOptions {
  readonly agent: Agent | undefined;
  readonly conversationId: string;
  readonly mediaStore: MediaStore;
  readonly checkpoint: CheckpointStatus | null;
  readonly now: string;
}

/** @throws SessionCompatibilityError for another provider, UsageError where no agent is known. */
export async function restoreConversation(
  { envelope, migratedFrom }: ParsedEnvelope,
  options: RestoreOptions,
): Promise<ConversationState> {
  const agent = options.agent ?? agentOf(envelope);
  assertSameDialect(envelope, agent);
  const stored = await withStoredMedia(envelope, options.mediaStore);
  const original = envelope.conversation_id;
  const isCopy = original !== "" && original !== options.conversationId;
  const state = restoredState(stored, dialectFor(envelope.provider), {
    conversationId: options.conversationId,
    now: options.now,
    agent: agent.spec,
    prefix: prefixOf(agent.spec),
    checkpoint: options.checkpoint,
    schemaVersion: migratedFrom,
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

function assertSameDialect(envelope: Envelope, agent: Agent): void {
  const from = dialectOf(envelope.provider);
  if (from === agent.resolved.dialect) return;
  throw new SessionCompatibilityError(
    `The envelope was saved under ${envelope.provider}:${envelope.model}; continuing it on ${agent.resolved.provider}:${agent.resolved.model} needs a conversion of its history, which is not there yet. Use a model of ${envelope.provider}.`,
  );
}

/** Puts every inline medium into the working store, with its marker in its place. */
async function withStoredMedia(envelope: Envelope, store: MediaStore): Promise<Envelope> {
  const dialect = dialectFor(envelope.provider);
  const blobs = new Map<string, StoredMedia>();
  for (const place of base64Places(dialect, envelope.messages)) {
    const id = blobId(place);
    if (blobs.has(id)) continue;
    blobs.set(id, await storeBase64(store, place));
  }
  if (blobs.size === 0) return envelope;
  const messages: readonly NativeMessage[] = extractMedia(dialect, envelope.messages, blobs);
  return { ...envelope, messages, media: { ...envelope.media, ...mediaTable(blobs.values()) } };
}

async function storeBase64(
  store: MediaStore,
  place: { readonly data: string; readonly mime_type: string; readonly as_text?: boolean },
): Promise<StoredMedia> {
  const bytes = Buffer.from(place.data, "base64");
  const key = mediaKey(createHash("sha256").update(bytes).digest("hex"), place.mime_type);
  await store.put(key, bytes);
  const text = place.as_text === true ? { json_bytes: jsonTextByteLength(bytes) } : {};
  return { key, mime_type: place.mime_type, size_bytes: bytes.byteLength, ...text };
}
