/** The activity of a turn: calls the provider, and tells the server and the readers how it ended. */
import { CompleteAsyncError, Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { logMedia } from "../connection/log-media.js";
import type {
  CallModelFailureDetails,
  CallModelInput,
  CallModelResult,
} from "../core/conversation/activity-contract.js";
import type { TurnResult } from "../core/conversation/messages.js";
import { dialectFor } from "../core/dialects/index.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import type { ProviderName } from "../core/providers.js";
import { activityFailure, errorMessage, errorType } from "./activity-failure.js";
import type { ActivityDependencies, TurnBounds } from "./dependencies.js";
import { startHeartbeat } from "./heartbeat.js";
import { type Answered, callProvider } from "./model-call.js";
import { readTranscript } from "./read-transcript.js";
import type { TranscriptCache } from "./transcript-cache.js";
import { TurnFrames } from "./turn-frames.js";

/** A result above this is left out of the end frame; its reader asks the conversation. */
const END_FRAME_BYTES = 64 * 1024;

/** What every heartbeat says, so that the next attempt goes on counting where a dead worker stopped. */
interface Progress {
  attempt: number;
  /** Calls that reached the provider, over all attempts. */
  calls: number;
  /** Failures of the provider, over all attempts. */
  failures: number;
}

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  const context = Context.current();
  const progress = progressOf(context);
  const stopHeartbeat = startHeartbeat(context, () => ({ ...progress }));
  const position = { conversation: input.conversation_id, turn: input.turn_id, attempt: progress.attempt };
  const frames = new TurnFrames(dependencies.frames, position);
  const attempt = new Attempt(dependencies, { context, input, progress, frames });
  try {
    await attempt.complete(await attempt.call());
  } catch (error) {
    if (error instanceof CompleteAsyncError) throw error;
    await attempt.fail(error);
  } finally {
    stopHeartbeat();
  }
  throw new CompleteAsyncError();
}

function progressOf(context: Context): Progress {
  const before = context.info.heartbeatDetails as Partial<Progress> | undefined;
  return { attempt: context.info.attempt, calls: before?.calls ?? 0, failures: before?.failures ?? 0 };
}

interface AttemptParts {
  readonly context: Context;
  readonly input: CallModelInput;
  readonly progress: Progress;
  readonly frames: TurnFrames;
}

/** One attempt: its call, and the two ways in which it ends. Both are acknowledged before a reader hears of them. */
class Attempt {
  readonly #dependencies: ActivityDependencies;
  readonly #parts: AttemptParts;

  constructor(dependencies: ActivityDependencies, parts: AttemptParts) {
    this.#dependencies = dependencies;
    this.#parts = parts;
  }

  async call(): Promise<Answered> {
    const { context, input, progress, frames } = this.#parts;
    const { transcripts } = this.#dependencies;
    const transcript = await readTranscript(transcripts, context.client, input);
    const signal = context.cancellationSignal;
    const onCall = (): number => {
      progress.calls++;
      // By the context, in place of a beat that still waits there, and by token at once: the SDK holds beats back, and the
      // call counts even if this process dies the next moment.
      context.heartbeat({ ...progress });
      context.client.activity.heartbeat(context.info.taskToken, { ...progress }).catch(() => undefined);
      return progress.calls;
    };
    const call = { input, transcript, frames, attempt: progress.attempt, signal, onCall };
    const answered = await callProvider(this.#dependencies, call);
    const { result } = answered;
    transcripts.keep(result.root, [...transcript.messages, ...result.messages], input.root);
    keepMedia(transcripts, input, result);
    logMedia(context.log, result.media_report ?? [], { conversation_id: input.conversation_id });
    return answered;
  }

  /** Completes by token, so that the end frame follows the server's acknowledgement and not a second workflow task. */
  async complete({ provider, result }: Answered): Promise<void> {
    const { context, input, frames } = this.#parts;
    await context.client.activity.complete(context.info.taskToken, result);
    this.#dependencies.transcripts.forget(input.root);
    if (input.quiet === true) return;
    const shown = turnResult(input, provider, result);
    const fits = jsonByteLength(shown) <= END_FRAME_BYTES;
    frames.push({
      type: "end",
      state: "committed",
      digest: result.root.digest,
      ...(fits ? { result: shown } : {}),
    });
  }

  /**
   * Ends the attempt. A user's stop and a failure that is final are reported by token and then to the readers; what may
   * be tried again, and a drain of this worker, is thrown.
   */
  async fail(error: unknown): Promise<void> {
    const { context, frames, progress, input } = this.#parts;
    const client = context.client.activity;
    if (context.cancellationSignal.aborted) {
      if (context.cancellationDetails?.cancelRequested !== true) throw await stopped(context);
      const reported = client.reportCancellation(context.info.taskToken, this.#details());
      // What cannot be reported by token is thrown: the SDK reports it, and a server that has moved on passes it over.
      await reported.catch(async () => {
        throw await stopped(context);
      });
    } else {
      const failure = this.#failureOf(error);
      if (failure.nonRetryable !== true) {
        // The SDK sends it before the failure; one sent by token would be overwritten by a beat that still waits here.
        context.heartbeat({ ...progress });
        const delay = Number(failure.nextRetryDelay ?? 0);
        frames.push({
          type: "retry",
          error_type: failure.type ?? "",
          error: failure.message,
          delay_ms: delay,
        });
        throw failure;
      }
      await client.fail(context.info.taskToken, failure).catch(() => {
        throw failure;
      });
    }
    if (input.quiet !== true) frames.push({ type: "end", state: "interrupted", digest: null });
  }

  #failureOf(error: unknown): ApplicationFailure {
    const { progress } = this.#parts;
    if (error instanceof ApplicationFailure) return error;
    const { bounds } = this.#dependencies;
    const type = errorType(error);
    const fromProvider = error instanceof ProviderFailure;
    const mayPass = fromProvider ? error.retryable : type === "worker.error";
    if (fromProvider || mayPass) progress.failures++;
    const retryable = mayPass && progress.failures < bounds.providerFailures;
    const askedMs = fromProvider ? error.retryAfterMs : undefined;
    return activityFailure(type, errorMessage(error), {
      retryable,
      ...(retryable ? { nextRetryMs: retryDelay(bounds, progress.failures, askedMs) } : {}),
      details: [this.#details()],
      stack: error instanceof Error ? error.stack : undefined,
    });
  }

  #details(): CallModelFailureDetails {
    const { progress, frames } = this.#parts;
    return { attempt: progress.attempt, provider_calls: progress.calls, partial_text: frames.partialText };
  }
}

/** The wait that the provider asked for wins over the steps. */
export function retryDelay(bounds: TurnBounds, failures: number, askedMs: number | undefined): number {
  if (askedMs !== undefined) return Math.min(Math.max(askedMs, 1), bounds.longestRetryAfterMs);
  return bounds.retryDelaysMs[Math.min(failures, bounds.retryDelaysMs.length) - 1] ?? 1_000;
}

/** The media table after the turn, where it is known before it and the turn tells all that it adds. */
function keepMedia(cache: TranscriptCache, input: CallModelInput, { root, media }: CallModelResult): void {
  const before = input.root.count === 0 ? {} : cache.media(input.run_id, input.root);
  if (before === undefined || (media === undefined && input.user?.files !== undefined)) return;
  cache.keepMedia(input.run_id, root, { ...before, ...media });
}

/** What an aborted context was aborted with: a drain is not an interruption, so another worker takes the turn over. */
async function stopped(context: Context): Promise<unknown> {
  return context.cancelled.catch((reason: unknown) => reason);
}

function turnResult(input: CallModelInput, provider: ProviderName, result: CallModelResult): TurnResult {
  return {
    turn_id: input.turn_id,
    output: dialectFor(provider).outputText(result.messages),
    messages: { from: input.root.count, to: result.root.count },
    provider,
    model: result.model,
    simulated: result.simulated ?? false,
    usage: result.usage,
    finish_reason: result.finish_reason,
    provider_calls: result.provider_calls,
    media_uploads: result.media_uploads ?? [],
    digest: result.root.digest,
    attempt: result.attempt,
    ...(result.turns_left_out === undefined ? {} : { turns_left_out: result.turns_left_out }),
    ...(result.request_mended === undefined ? {} : { request_mended: result.request_mended }),
  };
}
