/** The recent frames of one turn, in the order in which they came, with the readers that wait for more. */
import type { Frame, FrameCursor } from "../core/conversation/frame.js";
import { compareCursors } from "./frame-cursor.js";

export interface KeptFrame {
  readonly frame: Frame;
  readonly json: string;
}

/** What an entry costs beside its text. */
const ENTRY_BYTES = 64;

export class TurnLog {
  readers = 0;
  /** When the last frame came, by the hub's clock. */
  touchedAt: number;
  #entries: KeptFrame[] = [];
  /** How many entries have been dropped from the front: positions stay valid when that happens. */
  #dropped = 0;
  #bytes = 0;
  #last: FrameCursor | null = null;
  #ended = false;
  readonly #waiting = new Set<() => void>();

  constructor(now: number) {
    this.touchedAt = now;
  }

  get bytes(): number {
    return this.#bytes;
  }
  get ended(): boolean {
    return this.#ended;
  }
  /** Whether a frame has ever come; a reader may wait before. */
  get hasBegun(): boolean {
    return this.#last !== null;
  }
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /**
   * Takes a frame, and drops the oldest above `limit` bytes. What a retried push brings twice, what an attempt sends that
   * another has replaced, and anything after the end is left out; the end itself always counts, whichever attempt won.
   */
  push(kept: KeptFrame, limit: number): boolean {
    const { frame } = kept;
    const isEnd = frame.type === "end";
    const isNew = this.#last === null || compareCursors(frame, this.#last) > 0;
    if (this.#ended || !(isNew || isEnd)) return false;
    if (isNew) this.#last = { attempt: frame.attempt, seq: frame.seq };
    this.#ended = isEnd;
    this.#entries.push(kept);
    this.#bytes += costOf(kept);
    while (this.#bytes > limit && this.#entries.length > 1) this.#dropFirst();
    for (const wake of [...this.#waiting]) wake();
    return true;
  }

  /** Where reading goes on after the cursor: at the end frame even of a lower attempt, unless the reader stands there. */
  positionAfter(cursor: FrameCursor | undefined): number {
    if (cursor === undefined) return this.#dropped;
    const index = this.#entries.findIndex(
      ({ frame }) =>
        compareCursors(frame, cursor) > 0 || (frame.type === "end" && compareCursors(frame, cursor) !== 0),
    );
    return this.#dropped + (index === -1 ? this.#entries.length : index);
  }

  /** Everything from the position on; a reader that was too slow goes on with the oldest that is left. */
  from(position: number): { readonly frames: readonly KeptFrame[]; readonly next: number } {
    const frames = this.#entries.slice(Math.max(0, position - this.#dropped));
    return { frames, next: this.#dropped + this.#entries.length };
  }

  /** Resolves at the next frame, or at the abort. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  clear(): void {
    this.#dropped += this.#entries.length;
    this.#entries = [];
    this.#bytes = 0;
  }

  #dropFirst(): void {
    const first = this.#entries.shift();
    if (first === undefined) return;
    this.#dropped += 1;
    this.#bytes -= costOf(first);
  }
}

const costOf = ({ json }: KeptFrame): number => json.length + ENTRY_BYTES;
