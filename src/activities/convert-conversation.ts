/** The conversion of a live conversation: outside the workflow, its result recorded, so that a newer converter changes no replay. */
import { Context } from "@temporalio/activity";
import { readEnvelope } from "../connection/read-pages.js";
import { inlineTextMedia, storeMedia } from "../connection/store-media.js";
import type {
  ConversionPreview,
  ConvertConversationInput,
  ConvertedConversation,
} from "../core/conversation/activity-contract.js";
import { servedRanges } from "../core/conversation/provenance.js";
import { convertEnvelope } from "../core/envelope/convert-envelope.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { agentDigest, EMPTY_ROOT, extendRoot } from "../core/hash.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import { dialectOf, resolveModel } from "../core/providers.js";
import { activityFailure, errorMessage, errorType } from "./activity-failure.js";
import type { ActivityDependencies } from "./dependencies.js";
import { startHeartbeat } from "./heartbeat.js";

const BYTES_PER_TOKEN = 4;

export async function convertConversation(
  dependencies: ActivityDependencies,
  input: ConvertConversationInput,
): Promise<ConvertedConversation> {
  const { before, after } = await converted(dependencies, input);
  const {
    messages,
    system,
    attic,
    media,
    conversion_report: report,
  } = await storeMedia(after, dependencies.mediaStore);
  const { agent } = input;
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

export async function previewConversion(
  dependencies: ActivityDependencies,
  input: ConvertConversationInput,
): Promise<ConversionPreview> {
  const { before, after } = await converted(dependencies, input);
  return {
    converted_from: dialectOf(before.provider),
    report: dialectOf(before.provider) === dialectOf(after.provider) ? [] : after.conversion_report,
    message_count: after.messages.length,
    estimated_tokens: Math.ceil(jsonByteLength(after.messages) / BYTES_PER_TOKEN),
  };
}

/** @throws a failure of type SessionCompatibilityError, MissingKeyError or UsageError; what else fails may be tried again. */
async function converted(
  { providers, mediaStore, convert }: ActivityDependencies,
  { conversation_id, run_id, agent, convert: wanted }: ConvertConversationInput,
): Promise<{ readonly before: Envelope; readonly after: Envelope }> {
  const context = Context.current();
  const stopHeartbeat = startHeartbeat(context, () => undefined);
  try {
    const target = resolveModel(agent.model);
    await providers.get(target.provider);
    const handle = context.client.workflow.getHandle(conversation_id, run_id);
    const before = await inlineTextMedia(await readEnvelope(handle, new Date().toISOString()), mediaStore);
    return { before, after: convertEnvelope(before, target, { convert: convert && wanted !== false }) };
  } catch (error) {
    const type = errorType(error);
    throw activityFailure(type, errorMessage(error), { retryable: type === "worker.error" });
  } finally {
    stopHeartbeat();
  }
}
