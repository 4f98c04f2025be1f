/** The conversion of a live conversation: outside the workflow, its result recorded, so that a newer converter changes no replay. */
import { Context } from "@temporalio/activity";
import { RawValue } from "@temporalio/common";
import { readEnvelopePages } from "../connection/read-pages.js";
import type {
  ConversionPreview,
  ConvertConversationInput,
  ConvertedConversation,
} from "../core/conversation/activity-contract.js";
import { resolveModel } from "../core/providers.js";
import { activityFailure, errorMessage, errorType } from "./activity-failure.js";
import type { ActivityDependencies } from "./dependencies.js";
import { startHeartbeat } from "./heartbeat.js";
import { type EnvelopePages, isHeavy } from "./page-weight.js";
import { type ConversionTask, convertPages, previewPages } from "./perform-conversion.js";
import type { WorkThreads } from "./threads/work-threads.js";

export function convertConversation(
  dependencies: ActivityDependencies,
  input: ConvertConversationInput,
): Promise<ConvertedConversation> {
  const { mediaStore } = dependencies;
  return beating(async (signal) => {
    const { task, pages } = await read(dependencies, input);
    const threads = threadsFor(dependencies, pages);
    if (threads === undefined) return convertPages(task, pages, mediaStore);
    return recorded(await threads.run("convert", task, pages, { mediaStore, signal }));
  });
}

export function previewConversion(
  dependencies: ActivityDependencies,
  input: ConvertConversationInput,
): Promise<ConversionPreview> {
  const { mediaStore } = dependencies;
  return beating(async (signal) => {
    const { task, pages } = await read(dependencies, input);
    const threads = threadsFor(dependencies, pages);
    if (threads === undefined) return previewPages(task, pages, mediaStore);
    return threads.run("previewConversion", task, pages, { mediaStore, signal });
  });
}

/** @throws a failure of type SessionCompatibilityError, MissingKeyError or UsageError; what else fails may be tried again. */
async function beating<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const context = Context.current();
  const stopHeartbeat = startHeartbeat(context, () => undefined);
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw error;
    const type = errorType(error);
    throw activityFailure(type, errorMessage(error), { retryable: type === "worker.error" });
  } finally {
    stopHeartbeat();
  }
}

async function read(
  { providers, convert }: ActivityDependencies,
  { conversation_id, run_id, agent, convert: wanted }: ConvertConversationInput,
): Promise<{ readonly task: ConversionTask; readonly pages: EnvelopePages }> {
  await providers.get(resolveModel(agent.model).provider);
  const handle = Context.current().client.workflow.getHandle(conversation_id, run_id);
  const savedAt = new Date().toISOString();
  return {
    task: { agent, convert: convert && wanted !== false, savedAt },
    pages: await readEnvelopePages(handle),
  };
}

/** A history of more than 1 MiB would keep the loop from beating, so it is converted in a thread. */
function threadsFor({ threads }: ActivityDependencies, pages: EnvelopePages): WorkThreads | undefined {
  return isHeavy(pages) ? threads : undefined;
}

/** The result as it goes into the event: written as JSON in the thread already, so that it is not written here. */
function recorded(json: Uint8Array): ConvertedConversation {
  const encoding = new TextEncoder().encode("json/plain");
  return RawValue.fromPayload({ metadata: { encoding }, data: json }) as unknown as ConvertedConversation;
}
