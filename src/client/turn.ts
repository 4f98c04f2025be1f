/** A handle on one turn: its result, its frames, its stop. */
import { setTimeout as delay } from "node:timers/promises";
import { leaveStickyQueue } from "../connection/leave-sticky-queue.js";
import type { Frame } from "../core/conversation/frame.js";
import type { TurnResult, TurnView } from "../core/conversation/messages.js";
import { isHoldfastError, ServerUnreachableError, TurnInterruptedError } from "../core/errors/errors.js";
import * as m from "../workflows/messages.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import type { ConversationQueries } from "./conversation-queries.js";
import { assertOptionsOf } from "./option-names.js";
import { type RunResult, runResult } from "./run-result.js";
import { notFound, refusedTurn } from "./unwrap-failure.js";

/** How soon and how seldom a turn is asked for, where nothing tells of its end. */
const ASKING: Pace = { firstMs: 100, lastMs: 2_000 };
/** While frames are read, asking is for the end frame that never comes; each query is one more that can meet the turn's end. */
const ASKING_BESIDE_FRAMES: Pace = { firstMs: 2_000, lastMs: 10_000 };

interface Pace {
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface WaitOptions {
  /** Stops the waiting, never the turn: the conversation goes on without this caller. */
  readonly signal?: AbortSignal;
}

export class Turn {
  readonly turnId: string;
  readonly conversationId: string;
  readonly #context: ClientContext;
  readonly #queries: ConversationQueries;

  constructor(
    context: ClientContext,
    queries: ConversationQueries,
    ids: { readonly conversationId: string; readonly turnId: string },
  ) {
    this.#context = context;
    this.#queries = queries;
    this.conversationId = ids.conversationId;
    this.turnId = ids.turnId;
  }

  /** Where the turn stands now. */
  view(): Promise<TurnView> {
    return this.#queries.turn(this.turnId);
  }

  /**
   * Waits for the turn to end: on its end frame where frames can be read, by asking from every 100 ms to every 2 s otherwise.
   *
   * @throws TurnInterruptedError with the record, TurnRefusedError, NoWorkerError, or the signal's reason.
   */
  async result(options: WaitOptions = {}): Promise<RunResult> {
    assertOptionsOf("result", options);
    const stop = new AbortController();
    const signal =
      options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
    try {
      const ended = await Promise.race([
        this.#endByFrame(signal),
        this.#endByAsking(signal, ASKING_BESIDE_FRAMES),
      ]);
      return await runResult(ended, this.#queries);
    } finally {
      stop.abort();
    }
  }

  /** The turn's frames from its beginning, as far as they are still kept, until its end. */
  async *stream(options: WaitOptions = {}): AsyncGenerator<Frame, void, undefined> {
    assertOptionsOf("stream", options);
    const { frames } = this.#context;
    if (frames === undefined) return;
    const stop = new AbortController();
    const signal =
      options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
    // A turn whose worker died for good, or that ended before a hub existed, sends no end frame.
    const ended = this.#endByAsking(signal).catch(() => undefined);
    void ended.then(() => delay(ASKING.lastMs, undefined, { ref: false })).then(() => stop.abort());
    try {
      yield* frames.subscribe(this.conversationId, this.turnId, { signal });
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      stop.abort();
    }
  }

  /** Stops the turn. It ends interrupted; a turn that has ended already stays as it is. */
  async cancel(reason?: string): Promise<void> {
    const { client } = this.#context;
    const request = { turn_id: this.turnId, ...(reason === undefined ? {} : { reason }) };
    await callConversation(this.#context, this.conversationId, async () => {
      await leaveStickyQueue(client, this.conversationId);
      await client.workflow.getHandle(this.conversationId).signal(m.cancelTurn, request);
    });
  }

  /** Resolves on an end frame that holds the result; one without it is looked up. Without frames it asks. */
  async #endByFrame(signal: AbortSignal): Promise<TurnResult> {
    const { frames } = this.#context;
    if (frames !== undefined) {
      try {
        for await (const frame of frames.subscribe(this.conversationId, this.turnId, { signal })) {
          if (frame.type !== "end") continue;
          if (frame.result !== undefined) return frame.result;
          const ended = await this.#endedNow(true);
          if (ended !== undefined) return ended;
        }
      } catch (error) {
        // Frames that cannot be read are no reason to give up; how the turn ended is.
        if (signal.aborted || (isHoldfastError(error) && !(error instanceof ServerUnreachableError)))
          throw error;
      }
    }
    return this.#endByAsking(signal);
  }

  async #endByAsking(signal: AbortSignal, { firstMs, lastMs }: Pace = ASKING): Promise<TurnResult> {
    for (let wait = firstMs; ; wait = Math.min(wait * 1.5, lastMs)) {
      await delay(wait, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
      const ended = await this.#endedNow();
      if (ended !== undefined) return ended;
    }
  }

  /** The result of a committed turn, undefined for one that has not ended. An end frame comes when all is saved. @throws for any other end. */
  async #endedNow(isSaved = false): Promise<TurnResult | undefined> {
    const view = await this.view();
    // The turn has ended and its checkpoint is being written: who waited for the turn shall find the file.
    if (view.checkpointed === null && !isSaved) return undefined;
    switch (view.state) {
      case "committed":
        return view.result;
      case "interrupted":
        throw await this.#interruption(view);
      case "refused":
        throw refusedTurn(
          view.error ?? `The turn was refused: ${view.reason ?? "no reason given"}.`,
          view.reason,
        );
      case "unknown":
        throw notFound(`${this.conversationId}, turn ${this.turnId}`);
      default:
        return undefined;
    }
  }

  async #interruption(view: TurnView): Promise<TurnInterruptedError> {
    const record = view.interrupted_turn ?? (await this.#queries.interruptedTurn(this.turnId));
    if (record === null) throw notFound(`${this.conversationId}, turn ${this.turnId}`);
    return new TurnInterruptedError(
      `Turn ${this.turnId} was interrupted (${record.error_type}): ${record.error}`,
      record,
    );
  }
}
