/** What a reader of a turn did not get, seen from the numbers of the frames it got. */
import type { Frame, FrameCursor } from "./frame.js";
import { ROUND_SEQ } from "./frame.js";

/** An end that another activity tells stands far behind what it ends: a jump so wide is none of missing frames. */
const WIDEST_GAP = 1_000_000;

/**
 * How many frames at least are missing between two that follow each other in a reading; without `last`, before the first one.
 * Those of a replaced attempt do not count, nor do those of another round.
 */
export function missedBefore(last: FrameCursor | undefined, { attempt, seq }: FrameCursor): number {
  const place = seq % ROUND_SEQ;
  if (place >= ROUND_SEQ / 2 || (last !== undefined && attempt < last.attempt)) return 0;
  const start = seq - place;
  const goesOn = last !== undefined && last.attempt === attempt && last.seq >= start;
  const gap = goesOn ? seq - last.seq - 1 : place;
  return gap > 0 && gap < WIDEST_GAP ? gap : 0;
}

/** The frame, and ahead of it the word on what is missing, which stands where the last missing frame stood. */
export function withMissed(last: FrameCursor | undefined, frame: Frame): readonly Frame[] {
  const frames = missedBefore(last, frame);
  if (frames === 0) return [frame];
  const { turn, attempt, seq } = frame;
  return [{ turn, attempt, seq: seq - 1, type: "missed", frames }, frame];
}
