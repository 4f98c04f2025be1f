/** What a reader of a turn did not get, seen from the numbers of the frames it got. */
import type { Frame, FrameCursor } from "./frame.js";
import { SEQ_BLOCK } from "./frame.js";

/**
 * How many frames at least are missing between two that follow each other in a reading; without `last`, before the first one.
 * Those of a replaced attempt do not count.
 */
export function missedBefore(last: FrameCursor | undefined, { attempt, seq }: FrameCursor): number {
  const block = seq - (seq % SEQ_BLOCK);
  if (last === undefined || attempt > last.attempt) return seq - block;
  if (attempt < last.attempt) return 0;
  return Math.max(0, seq - Math.max(last.seq + 1, block));
}

/** The frame, and ahead of it the word on what is missing, which stands where the last missing frame stood. */
export function withMissed(last: FrameCursor | undefined, frame: Frame): readonly Frame[] {
  const frames = missedBefore(last, frame);
  if (frames === 0) return [frame];
  const { turn, attempt, seq } = frame;
  return [{ turn, attempt, seq: seq - 1, type: "missed", frames }, frame];
}
