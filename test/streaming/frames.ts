/** Frames for the tests of the stream. */
import type { Frame } from "../../src/core/conversation/frame.js";

export const text = (turn: string, attempt: number, seq: number, value = `${attempt}.${seq}`): Frame => ({
  turn,
  attempt,
  seq,
  type: "text",
  text: value,
});

export const attemptStart = (turn: string, attempt: number): Frame => ({
  turn,
  attempt,
  seq: 0,
  type: "attempt",
  provider: "anthropic",
  model: "claude-haiku-4-5",
  simulated: true,
});

export const end = (turn: string, attempt: number, seq: number): Frame => ({
  turn,
  attempt,
  seq,
  type: "end",
  state: "committed",
  digest: "d".repeat(64),
});

/** Everything up to the end frame, or the first `count` frames. */
export async function take(
  frames: AsyncIterable<Frame>,
  count: number = Number.POSITIVE_INFINITY,
): Promise<readonly Frame[]> {
  const taken: Frame[] = [];
  for await (const frame of frames) {
    taken.push(frame);
    if (taken.length >= count) break;
  }
  return taken;
}

/** Where the frames stand, as `attempt.seq`, with `end` for the end frame. */
export const places = (frames: readonly Frame[]): readonly string[] =>
  frames.map(({ type, attempt, seq }) => (type === "end" ? "end" : `${attempt}.${seq}`));
