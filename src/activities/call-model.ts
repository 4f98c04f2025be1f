/** The activity of a turn: calls the provider, and tells the server and the readers how it ended. */
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { CompleteAsyncError, Context } from "@temporalio/activity";
import { ActivityCancelledError, ActivityNotFoundError, type Client } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { leaveStickyQueue } from "../connection/leave-sticky-queue.js";
import { logMedia } from "../connection/log-media.js";
import type {
  CallModelFailureDetails,
  CallModelInput,
  CallModelResult,
} from "../core/conversation/activity-contract.js";
import { turnEndAfter } from "../core/conversation/turn-end-after.js";
import { turnResult } from "../core/conversation/turn-result.js";
import { grownHistory } from "../core/conversation/turn-starts.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import { activityFailure, errorMessage, errorType } from "./activity-failure.js";
import { assertNotStopping, mayHaveWaited } from "./assert-not-stopping.js";
import type { ActivityDependencies, TurnBounds } from "./dependencies.js";
import { continueHeartbeat } from "./heartbeat.js";
import { deliverReply } from "./journal/deliver-reply.js";
import type { OpenCall } from "./journal/open-call.js";
import { type Answered, callProvider } from "./model-call.js";
import { hasLostAttempt, type Progress, progressOf } from "./progress.js";
import { readTranscript } from "./read-transcript.js";
import { Standstill } from "./standstill.js";
import { firstFrame } from "./tools/tool-frames.js";
import type { TranscriptCache } from "./transcript-cache.js";
import { TurnFrames } from "./turn-frames.js";

/** A result above this is left out of the end frame; its reader asks the conversation. */
const END_FRAME_BYTES = 64 * 1024;

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  const context = Context.current();
  const progress = progressOf(context, input.before?.lost_attempts);
  const { taskToken, activityId } = context.info;
  const entry = dependencies.journal?.begin(input, { taskToken, activityId, progress: { ...progress } });
  const position = { conversation: input.conversation_id, turn: input.turn_id, attempt: progress.attempt };
  const frames = new TurnFrames(dependencies.frames, position, firstFrame(input.round ?? 0));
  // None at once: each is a write of the server, and the call itself is about to beat.
  const beats = { begun: false };
  const standstill = new Standstill();
  const stopHeartbeat = continueHeartbeat(context, () => {
    beats.begun = true;
    standstill.tick();
    return beatOf(progress, frames);
  });
  const attempt = new Attempt(dependencies, { context, input, progress, frames, entry, beats, standstill });
  try {
    await dependencies.onCallPoint?.("started");
    await attempt.complete(await attempt.call());
    // Whoever waits for the turn goes on first.
    await setImmediate();
  } catch (error) {
    if (error instanceof CompleteAsyncError) throw error;
    await dependencies.onCallPoint?.("failing");
    await attempt.fail(error);
  } finally {
    stopHeartbeat();
    // Behind the end frame, for readers wait for that one; an entry that a kill leaves here is one the server has done with.
    entry?.ended();
  }
  throw new CompleteAsyncError();
}

/** How the answer began is for the record of a turn that is stopped or given up when its worker is dead. */
function beatOf(progress: Progress, { partialText }: TurnFrames): object {
  return { ...progress, ...(partialText === "" ? {} : { partial_text: partialText }) };
}

interface AttemptParts {
  readonly context: Context;
  readonly input: CallModelInput;
  /** Counted up as the attempt goes on. */
  readonly progress: { -readonly [Key in keyof Progress]: Progress[Key] };
  readonly frames: TurnFrames;
  /** The call in the journal, where there is one. */
  readonly entry: OpenCall | undefined;
  /** Whether the SDK has been given a beat, so that another may wait there. */
  readonly beats: { readonly begun: boolean };
  readonly standstill: Standstill;
}

/** A call that the journal holds is told to the server after so long: an answer that is there sooner tells it all, in one write. */
const BRIEF_MS = 25;
/** Between tries to tell the server of a reply; the last try has none after it. */
const DELIVERY_WAITS_MS: readonly (number | undefined)[] = [200, 1_000, undefined];
const ANSWER_MS = 2_000;

/** One attempt: its call, and the two ways in which it ends. Both are acknowledged before a reader hears of them. */
class Attempt {
  readonly #dependencies: ActivityDependencies;
  readonly #parts: AttemptParts;
  #telling: NodeJS.Timeout | undefined;
  #wasUnheard = false;

  constructor(dependencies: ActivityDependencies, parts: AttemptParts) {
    this.#dependencies = dependencies;
    this.#parts = parts;
  }

  async call(): Promise<Answered> {
    const { context, input, progress, frames, entry } = this.#parts;
    const { transcripts, onCallPoint } = this.#dependencies;
    const { attempt } = context.info;
    const isNew = !transcripts.has(input);
    // The worker that had the conversation may be dead.
    if (hasLostAttempt({ ...progress, attempt }) || (attempt > 1 && isNew))
      await leaveStickyQueue(context.client, input.conversation_id, input.run_id);
    const [transcript] = await Promise.all([
      readTranscript(transcripts, context.client, input),
      isNew || this.#mayHaveWaited() ? assertNotStopping(context, input.turn_id) : undefined,
    ]);
    // Behind the read, for what is said in its time counts as well.
    if (attempt > 1) await this.#assertWanted();
    await onCallPoint?.("read");
    const signal = context.cancellationSignal;
    const onCall = (): number => {
      progress.calls++;
      const isWritten = entry?.progressed(progress) === true;
      // By the context, in place of a beat that still waits there, and by token, since the SDK holds beats back: the call
      // counts even if this process dies the next moment.
      if (this.#parts.beats.begun) context.heartbeat({ ...progress });
      this.#tellOfCall(isWritten ? BRIEF_MS : 0);
      return progress.calls;
    };
    const earlierCalls = progress.calls;
    const call = { input, transcript, frames, attempt: progress.attempt, signal, earlierCalls, onCall };
    const answered = await callProvider(this.#dependencies, call).finally(() => clearTimeout(this.#telling));
    await onCallPoint?.("answered");
    const { result } = answered;
    this.#dependencies.turnsAtWork?.add(input);
    transcripts.keep(result.root, grownHistory(transcript.messages, result.messages), input.root);
    keepMedia(transcripts, input, result);
    logMedia(context.log, result.media_report ?? [], { conversation_id: input.conversation_id });
    return answered;
  }

  /** What goes on from an answer of this worker's was asked for while it lived. */
  #mayHaveWaited(): boolean {
    const { context, input } = this.#parts;
    const isFollowing = this.#dependencies.turnsAtWork?.hasHistory(input, input.root) === true;
    return (context.info.attempt > 1 || !isFollowing) && mayHaveWaited(context, this.#dependencies, input);
  }

  #tellOfCall(afterMs: number): void {
    const { context, progress } = this.#parts;
    const tell = (): void =>
      void context.client.activity.heartbeat(context.info.taskToken, { ...progress }).catch(() => undefined);
    clearTimeout(this.#telling);
    if (afterMs === 0) tell();
    else this.#telling = setTimeout(tell, afterMs);
  }

  /**
   * No turn is paid once more that has gone on without this attempt: a worker that has stood still finds attempts waiting which the
   * server gave it meanwhile, and has given up since.
   *
   * @throws CancelledFailure, or CompleteAsyncError, for then there is nothing to tell.
   */
  async #assertWanted(): Promise<void> {
    const { context, progress } = this.#parts;
    try {
      await context.client.activity.heartbeat(context.info.taskToken, { ...progress });
    } catch (error) {
      if (error instanceof ActivityNotFoundError) throw new CompleteAsyncError();
      // The worker's own beat hears of it in half a second.
      if (error instanceof ActivityCancelledError) await context.cancelled;
    }
  }

  /**
   * Into the journal, then to the server, by token, so that the end frame follows the server's acknowledgement and not a
   * second workflow task.
   */
  async complete({ provider, result }: Answered): Promise<void> {
    const { input, frames, entry } = this.#parts;
    const { onCallPoint } = this.#dependencies;
    await entry?.answered(result);
    await onCallPoint?.("journaled");
    if (!(await this.#deliver(result))) return;
    await onCallPoint?.("acknowledged");
    this.#dependencies.turnsAtWork?.addHistory(input, result.root);
    this.#dependencies.transcripts.forget(input.root);
    if (result.repair !== undefined) frames.push(sentBack(result.repair));
    if (input.quiet === true) return;
    // A stop that could not be heard may have ended the turn without this reply, which the server has taken all the same: who waits
    // asks the conversation.
    if (this.#wasUnheard || this.#parts.standstill.hasStood) return;
    const end = turnEndAfter(result);
    if (end === "interrupted") frames.push({ type: "end", state: end, digest: null });
    if (end !== "committed") return;
    const shown = turnResult(input, provider, result);
    const fits = jsonByteLength(shown) <= END_FRAME_BYTES;
    frames.push({
      type: "end",
      state: end,
      digest: result.root.digest,
      ...(fits ? { result: shown } : {}),
    });
  }

  /** False where the call has ended without this reply, or where the reply waits in the journal for a later try. */
  async #deliver(result: CallModelResult): Promise<boolean> {
    const { context, input, entry } = this.#parts;
    const { taskToken, activityId } = context.info;
    const ids = { taskToken, workflowId: input.conversation_id, runId: input.run_id, activityId };
    for (const waitMs of DELIVERY_WAITS_MS) {
      try {
        return await deliverReply(context.client.activity, ids, result);
      } catch (error) {
        this.#wasUnheard = true;
        const isLast = waitMs === undefined;
        if (isLast && (entry === undefined || (await answers(context.client)))) throw error;
      }
      if (waitMs !== undefined) await delay(waitMs);
    }
    await entry?.givenUp();
    return false;
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
      context.log.warn(`Turn ${input.turn_id} was interrupted (${failure.type}): ${failure.message}`);
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

/** A server that answers has refused the reply for good; one that does not may take it later. */
async function answers(client: Client): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + ANSWER_MS, () => client.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
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

/** Readers take the text of the next attempt in the place of what they have. */
function sentBack(error: string) {
  return { type: "retry", error_type: "turn.invalid_output", error, delay_ms: 0 } as const;
}
