/** A handle on one turn: its result, its frames, its stop. */
import { leaveStickyQueue } from "../connection/leave-sticky-queue.js";
import { OVER, pause } from "../connection/pause.js";
import type { Frame, FrameCursor, FramePosition } from "../core/conversation/frame.js";
import type { TurnResult, TurnView } from "../core/conversation/messages.js";
import {
  isHoldfastError,
  ServerUnreachableError,
  TurnInterruptedError,
  UsageError,
} from "../core/errors/errors.js";
import type { OutputOption } from "../core/output-schema.js";
import * as m from "../workflows/messages.js";
import { acknowledgedEnd } from "./acknowledged-end.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import type { ConversationQueries } from "./conversation-queries.js";
import { assertOptionsOf } from "./option-names.js";
import { type RunResult, runResult } from "./run-result.js";
import { type TurnEnding, turnStream } from "./turn-stream.js";
import { refusedTurn, turnNotFound } from "./unwrap-failure.js";

/** How soon and how seldom a turn is asked for, where nothing tells of its end. */
const ASKING: Pace = { firstMs: 100, lastMs: 2_000 };
/** While frames are read, asking is for the end frame that never comes; each query is one more that can meet the turn's end. */
const ASKING_BESIDE_FRAMES: Pace = { firstMs: 2_000, lastMs: 10_000 };
/** Looks into the history cost no worker anything. */
const LOOKING: Pace = { firstMs: 250, lastMs: 10_000 };

interface Pace {
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface WaitOptions {
  /** Stops the waiting, never the turn: the conversation goes on without this caller. */
  readonly signal?: AbortSignal;
}

export interface StreamOptions extends WaitOptions {
  /** The last frame that the reader has: reading goes on after it. */
  readonly from?: FramePosition;
}

export class Turn<Data = unknown> {
  readonly turnId: string;
  readonly conversationId: string;
  readonly #context: ClientContext;
  readonly #queries: ConversationQueries;
  readonly #output: OutputOption | undefined;

  constructor(
    context: ClientContext,
    queries: ConversationQueries,
    ids: { readonly conversationId: string; readonly turnId: string },
    output?: OutputOption,
  ) {
    this.#context = context;
    this.#queries = queries;
    this.#output = output;
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
   * @throws TurnInterruptedError with the record, TurnRefusedError, NoWorkerError, or the signal's reason; OutputParseError, with the committed turn,
   * where the schema by which it was submitted does not take the answer.
   */
  async result(options: WaitOptions = {}): Promise<RunResult<Data>> {
    assertOptionsOf("result", options);
    const stop = new AbortController();
    const signal =
      options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
    try {
      const ended = await Promise.race([
        this.#endByFrame(signal),
        this.#endByAsking(signal, ASKING_BESIDE_FRAMES),
        this.#endByHistory(signal),
      ]);
      return (await runResult(ended, this.#queries, this.#output)) as RunResult<Data>;
    } finally {
      stop.abort(OVER);
    }
  }

  /**
   * The turn's frames from its beginning, or after `from`, as far as they are still kept, until its end frame. A frame `missed`
   * says where some are no longer kept; a higher attempt replaces the text of the one before. Without a stream there is only the end.
   *
   * @throws TurnRefusedError, ConversationNotFoundError, NoWorkerError, ServerUnreachableError; UsageError for a cursor of another turn
   */
  async *stream(options: StreamOptions = {}): AsyncGenerator<Frame, void, undefined> {
    assertOptionsOf("stream", options);
    const from = cursorOf(this.turnId, options.from);
    if (options.from !== undefined && isEnd(options.from)) return;
    yield* turnStream({
      source: this.#context.frames,
      conversationId: this.conversationId,
      turnId: this.turnId,
      from,
      signal: options.signal,
      ask: () => this.#ending(),
    });
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

  #endByAsking(signal: AbortSignal, pace: Pace = ASKING): Promise<TurnResult> {
    return askUntil(() => this.#endedNow(), pace, signal);
  }

  /** Where the worker was killed before it could tell anybody. */
  #endByHistory(signal: AbortSignal): Promise<TurnResult> {
    const look = () => acknowledgedEnd(this.#context.client, this.conversationId, this.turnId);
    return askUntil(look, LOOKING, signal);
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
        throw turnNotFound(this.conversationId, this.turnId);
      default:
        return undefined;
    }
  }

  /** As an end frame says it. @throws for a turn that was refused, or is not known. */
  async #ending(): Promise<TurnEnding | undefined> {
    try {
      const result = await this.#endedNow();
      return result === undefined ? undefined : { result };
    } catch (error) {
      if (error instanceof TurnInterruptedError) return "interrupted";
      throw error;
    }
  }

  async #interruption(view: TurnView): Promise<TurnInterruptedError> {
    const record = view.interrupted_turn ?? (await this.#queries.interruptedTurn(this.turnId));
    if (record === null) throw turnNotFound(this.conversationId, this.turnId);
    return new TurnInterruptedError(
      `Turn ${this.turnId} was interrupted (${record.error_type}): ${record.error}`,
      record,
    );
  }
}

async function askUntil<T>(
  ask: () => Promise<T | undefined>,
  { firstMs, lastMs }: Pace,
  signal: AbortSignal,
): Promise<T> {
  for (let wait = firstMs; ; wait = Math.min(wait * 1.5, lastMs)) {
    await pause(wait, signal);
    if (signal.aborted) throw signal.reason;
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
}

const isEnd = (from: FramePosition & { readonly type?: unknown }): boolean => from.type === "end";

function cursorOf(turnId: string, from: FramePosition | undefined): FrameCursor | undefined {
  if (from === undefined) return undefined;
  const isPlace = [from?.attempt, from?.seq].every((value) => Number.isSafeInteger(value) && value >= 0);
  if (isPlace && from.turn === turnId) return { attempt: from.attempt, seq: from.seq };
  throw new UsageError(
    `\`from\` is the last frame that was read of turn ${turnId}, or its {turn, attempt, seq}; leave it out to read from the beginning.`,
  );
}
