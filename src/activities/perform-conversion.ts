/** The work of a conversion: from the pages of a conversation to its history under another provider, on the main loop or in a thread. */
import { envelopeOfPages } from "../connection/read-pages.js";
import { inlineTextMedia, storeMedia } from "../connection/store-media.js";
import type { AgentSpec } from "../core/agent.js";
import type { ConversionPreview, ConvertedConversation } from "../core/conversation/activity-contract.js";
import { servedRanges } from "../core/conversation/provenance.js";
import { convertEnvelope } from "../core/envelope/convert-envelope.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { agentDigest, EMPTY_ROOT, extendRoot } from "../core/hash.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import type { MediaStore } from "../core/media/media-store.js";
import { dialectOf, resolveModel } from "../core/providers.js";
import type { EnvelopePages } from "./page-weight.js";

const BYTES_PER_TOKEN = 4;

/** What to do, as data that may cross to a thread. */
export interface ConversionTask {
  /** Who is to continue the conversation. */
  readonly agent: AgentSpec;
  /** False where every change of provider is refused, histories of plain text excepted. */
  readonly convert: boolean;
  /** When the pages were read. */
  readonly savedAt: string;
}

/** @throws SessionCompatibilityError, UsageError; or what the store throws. */
export async function convertPages(
  task: ConversionTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<ConvertedConversation> {
  const { before, after } = await converted(task, pages, store);
  const { messages, system, attic, media, conversion_report: report } = await storeMedia(after, store);
  const { agent } = task;
  const served = servedRanges(after.turn_index, after.metadata.served_models, agent.model);
  return {
    prefix: prefixOf(agent),
    agent_digest: agentDigest({ agent, system, served }),
    converted_from: dialectOf(before.provider),
    report,
    messages,
    system,
    turns: after.turn_index.flatMap((entry) =>
      entry.state === "committed" ? [[entry.from, entry.to] as const] : [],
    ),
    attic,
    media,
    root: extendRoot(EMPTY_ROOT, messages),
  };
}

/** Stores nothing. @throws as `convertPages` does. */
export async function previewPages(
  task: ConversionTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<ConversionPreview> {
  const { before, after } = await converted(task, pages, store);
  return {
    converted_from: dialectOf(before.provider),
    report: dialectOf(before.provider) === dialectOf(after.provider) ? [] : after.conversion_report,
    message_count: after.messages.length,
    estimated_tokens: Math.ceil(jsonByteLength(after.messages) / BYTES_PER_TOKEN),
  };
}

async function converted(
  { agent, convert, savedAt }: ConversionTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<{ readonly before: Envelope; readonly after: Envelope }> {
  const before = await inlineTextMedia(envelopeOfPages(pages, savedAt), store);
  return { before, after: convertEnvelope(before, resolveModel(agent.model), { convert }) };
}
