/** Where a reader stands in a turn's frames: `attempt.seq` of the last one it has, as an SSE event id. */
import type { FrameCursor } from "../core/conversation/frame.js";

export function formatCursor({ attempt, seq }: FrameCursor): string {
  return `${attempt}.${seq}`;
}

/** Null for a text that is no cursor. */
export function parseCursor(text: string): FrameCursor | null {
  const match = /^(\d{1,15})\.(\d{1,16})$/.exec(text);
  return match === null ? null : { attempt: Number(match[1]), seq: Number(match[2]) };
}

/** Negative when `a` comes before `b`: by attempt, then by place within it. */
export function compareCursors(a: FrameCursor, b: FrameCursor): number {
  return a.attempt - b.attempt || a.seq - b.seq;
}
