/** A turn's frames for a reader: those that are kept, then live ones, what is missing said, and always an end. */
import { setTimeout as delay } from "node:timers/promises";
import type { Frame, FrameCursor, FrameSource } from "../core/conversation/frame.js";
import type { TurnResult } from "../core/conversation/messages.js";
import { withMissed } from "../core/conversation/missed-frames.js";

/** How the turn ended, as far as an end frame says it. */
export type TurnEnding = { readonly result: TurnResult } | "interrupted";

export interface TurnStreamOptions {
  readonly source: FrameSource | undefined;
  readonly conversationId: string;
  readonly turnId: string;
  /** The last frame that the reader has. */
  readonly from: FrameCursor | undefined;
  readonly signal: AbortSignal | undefined;
  /** How the turn ended, undefined while it has not. Throws where it will never end. */
  readonly ask: () => Promise<TurnEnding | undefined>;
}

/** Nobody is asked while frames come: each query costs the conversation's worker time. */
const QUIET_MS = 2_000;
const LONGEST_QUIET_MS = 10_000;
/** Without a source asking is all there is. */
const ASK_MS = 100;
const LONGEST_ASK_MS = 2_000;
/** An end frame that is on its way has come by then. */
const GRACE_MS = 1_000;

/** @throws what `ask` throws, and what the source does. */
export async function* turnStream(options: TurnStreamOptions): AsyncGenerator<Frame, void, undefined> {
  const { source, conversationId, turnId, signal: given } = options;
  const stop = new AbortController();
  const signal = given === undefined ? stop.signal : AbortSignal.any([stop.signal, given]);
  const clock = { at: Date.now() };
  const ending = endingOf(options, clock, signal);
  // Awaited below, once there is nothing more to read.
  void ending.catch(() => undefined).then(() => stop.abort());
  let last = options.from;
  try {
    if (source !== undefined) {
      const from = last === undefined ? {} : { from: last };
      for await (const frame of source.subscribe(conversationId, turnId, { signal, ...from })) {
        clock.at = Date.now();
        yield* withMissed(last, frame);
        last = frame;
        if (frame.type === "end") return;
      }
      // The source ended by itself: the reader stood at the end already.
      if (last === options.from && last !== undefined && !signal.aborted) return;
    }
    const end = given?.aborted === true ? undefined : await ending;
    if (end !== undefined) yield endFrame(turnId, last, end);
  } finally {
    stop.abort();
  }
}

/** A turn whose worker died for good, or whose frames were lost, sends no end frame: how it ended is asked for instead. */
async function endingOf(
  { source, ask }: TurnStreamOptions,
  clock: { readonly at: number },
  signal: AbortSignal,
): Promise<TurnEnding | undefined> {
  let wait = source === undefined ? ASK_MS : QUIET_MS;
  const longest = source === undefined ? LONGEST_ASK_MS : LONGEST_QUIET_MS;
  while (!signal.aborted) {
    await delay(wait, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    if (source !== undefined && Date.now() - clock.at < QUIET_MS) continue;
    const end = await ask();
    if (end !== undefined) {
      if (source !== undefined) await delay(GRACE_MS, undefined, { signal }).catch(() => undefined);
      return end;
    }
    wait = Math.min(wait * 1.5, longest);
  }
  return undefined;
}

function endFrame(turn: string, last: FrameCursor | undefined, end: TurnEnding): Frame {
  const attempt = end === "interrupted" ? (last?.attempt ?? 1) : end.result.attempt;
  const seq = last?.attempt === attempt ? last.seq + 1 : 0;
  const place = { turn, attempt, seq, type: "end" } as const;
  if (end === "interrupted") return { ...place, state: "interrupted", digest: null };
  return { ...place, state: "committed", digest: end.result.digest, result: end.result };
}
