/** From an envelope to the state of the conversation that continues it: converted where that is needed, its bytes in the working store. */

import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { guardedStore } from "../connection/guarded-store.js";
import {
  assertStoreKnown,
  isMediaStore,
  type NamedStores,
  openNamedStore,
} from "../connection/open-media-store.js";
import { inlineTextMedia, storeMedia } from "../connection/store-media.js";
import { Agent, type AgentSpec } from "../core/agent.js";
import type { CheckpointStatus } from "../core/conversation/messages.js";
import { restoredState } from "../core/conversation/restore.js";
import { grown } from "../core/conversation/segment.js";
import type { ConversationState } from "../core/conversation/state.js";
import { dialectFor } from "../core/dialects/index.js";
import { convertEnvelope } from "../core/envelope/convert-envelope.js";
import { type Envelope, UNKNOWN_MODEL } from "../core/envelope/envelope.js";
import { continuedPrefix } from "../core/envelope/fingerprint.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { dialectOf } from "../core/providers.js";
import { endpointAttachments } from "../providers/endpoint-attachments.js";
import { assertContinuable } from "./assert-continuable.js";
import { assertAgent } from "./option-names.js";
import { mendedMedia, type RestoreMedia, restoredMedia } from "./restore-media.js";

export interface RestoreOptions {
  readonly agent: Agent | undefined;
  readonly conversationId: string;
  /** The working store. */
  readonly mediaStore: MediaStore;
  /** The store that the restore names: its location, or itself. */
  readonly from?: string | MediaStore;
  readonly stores?: NamedStores;
  /** Media that cannot be used stay in the history and are left out of requests. Default: a text in their place. */
  readonly preserveMedia?: boolean;
  readonly checkpoint: CheckpointStatus | null;
  readonly now: string;
  /** False: a history of another provider is refused unless it is plain text. */
  readonly convert: boolean;
  /** The agent's definition as the conversation keeps it. */
  place?(spec: AgentSpec): AgentSpec;
}

/**
 * @throws SessionCompatibilityError for a history that cannot be converted, InvalidHistoryError for one that its own service
 * would not continue, UsageError where no agent is known, and what a
 * store throws that cannot be used.
 */
export async function restoreConversation(
  { envelope, migratedFrom }: ParsedEnvelope,
  options: RestoreOptions,
): Promise<ConversationState> {
  if (options.agent !== undefined) assertAgent(options.agent);
  const agent = options.agent ?? agentOf(envelope);
  const { media_store: kept } = agent.spec;
  if (options.agent === undefined && kept !== undefined) assertStoreKnown(kept, options.stores ?? {});
  const spec = options.place?.(agent.spec) ?? agent.spec;
  const { provider, model } = envelope;
  const reader = { provider: agent.resolved.provider, endpoints: endpointAttachments(process.env) };
  const media: RestoreMedia = {
    reader,
    working: options.mediaStore,
    sources: sourcesOf(options, spec),
    preserve: options.preserveMedia ?? false,
    damaged: new Set(),
    whereMissing: await whereMissing(options.from, spec),
  };
  const crosses = dialectOf(provider) !== agent.resolved.dialect;
  if (!crosses) assertContinuable(envelope, { preserveMedia: media.preserve, reader });
  const stored = await restoredMedia(envelope, media);
  const continued = crosses ? await converted(stored, agent, options) : stored;
  const mended = await mendedMedia(continued, media);
  const original = envelope.conversation_id;
  const isCopy = original !== "" && original !== options.conversationId;
  const state = restoredState(mended.envelope, dialectFor(continued.provider), {
    conversationId: options.conversationId,
    now: options.now,
    agent: spec,
    prefix: continuedPrefix(envelope.prefix, spec),
    checkpoint: options.checkpoint,
    schemaVersion: migratedFrom,
    savedUnder: { provider, model },
    ...(isCopy ? { copiedFrom: { conversation_id: original, turn: envelope.metadata.run_count } } : {}),
  });
  return grown(state, { media_report: mended.report });
}

/** The store named on the restore, then the agent's; opened only where something is missing. */
function sourcesOf(
  { from, stores = {} }: RestoreOptions,
  { media_store }: AgentSpec,
): RestoreMedia["sources"] {
  const open = (place: string | MediaStore): MediaStore =>
    isMediaStore(place) ? guardedStore(place, "of this restore") : openNamedStore(place, stores);
  const named = from === undefined ? [] : [() => open(from)];
  return media_store === undefined ? named : [...named, () => openNamedStore(media_store, stores)];
}

/** What is wrong with the places in which missing bytes would be looked for. @throws UsageError for a file that the restore names. */
async function whereMissing(
  from: RestoreOptions["from"],
  { media_store }: AgentSpec,
): Promise<string | undefined> {
  if (from === undefined && media_store === undefined) return "no media store is named for";
  for (const place of [from, media_store]) {
    if (typeof place !== "string" || !isAbsolute(place)) continue;
    const state = await stat(place).catch(() => undefined);
    if (state === undefined) return `there is no folder ${place} for`;
    if (state.isDirectory()) continue;
    if (place === from)
      throw new UsageError(`The media store ${place} is a file: name the folder that has the attachments.`);
    return `${place} is a file and no folder for`;
  }
  return undefined;
}

async function converted(
  stored: Envelope,
  { resolved }: Agent,
  { mediaStore, convert }: RestoreOptions,
): Promise<Envelope> {
  const readable = await inlineTextMedia(stored, mediaStore);
  return storeMedia(convertEnvelope(readable, resolved, { convert }), mediaStore);
}

function agentOf(envelope: Envelope): Agent {
  const { agent, provider, model } = envelope;
  if (model === UNKNOWN_MODEL) throw namesNoModel(` of ${provider}`);
  if (agent !== null && typeof agent === "object") return Agent.fromSpec(agent);
  if (model === "") throw namesNoModel("");
  return new Agent({ ...(agent === null ? {} : { name: agent }), model: `${provider}:${model}` });
}

function namesNoModel(ofProvider: string): UsageError {
  return new UsageError(
    `The envelope names no model${ofProvider}: give the agent that shall continue it; with the command, import it with --model.`,
  );
}
