/** Keeps the recent frames of running turns, so that a reader that comes late still gets all of them. */
import type {
  Frame,
  FrameCursor,
  FrameSink,
  FrameSource,
  SubscribeOptions,
} from "../core/conversation/frame.js";
import { type KeptFrame, TurnLog } from "./turn-log.js";
import { TurnNews, type TurnNotice } from "./turn-news.js";

export interface FrameLimits {
  /** Of one turn; above it the oldest frames go, and a reader sees `seq` jump. Default 1 MiB. */
  readonly turnBytes: number;
  /** Of all turns; above it whole turns go, ended ones first. Default 64 MiB. */
  readonly totalBytes: number;
  /** How long an ended turn is kept. Default 10 minutes. */
  readonly endedMs: number;
  /** How long a turn without a new frame is kept. Default 2 hours. */
  readonly idleMs: number;
}

const LIMITS: FrameLimits = {
  turnBytes: 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  endedMs: 10 * 60_000,
  idleMs: 2 * 60 * 60_000,
};
const SWEEP_MS = 10_000;

/** Sink and source in one process; the stream hub serves one to other processes. */
export class InProcessHub implements FrameSink, FrameSource {
  readonly #limits: FrameLimits;
  readonly #now: () => number;
  /** By conversation and turn, the one that was pushed to least recently first. */
  readonly #turns = new Map<string, TurnLog>();
  readonly #news = new TurnNews();
  #bytes = 0;
  #sweptAt = 0;

  constructor(options: { readonly limits?: Partial<FrameLimits>; readonly now?: () => number } = {}) {
    this.#limits = { ...LIMITS, ...options.limits };
    this.#now = options.now ?? Date.now;
  }

  push(conversationId: string, frame: Frame): void {
    const key = keyOf(conversationId, frame.turn);
    const log = this.#turns.get(key) ?? new TurnLog(this.#now());
    const { bytes: before, hasBegun } = log;
    if (!log.push({ frame, json: JSON.stringify(frame) }, this.#limits.turnBytes)) return;
    log.touchedAt = this.#now();
    this.#turns.delete(key);
    this.#turns.set(key, log);
    this.#bytes += log.bytes - before;
    this.#sweep();
    this.#makeRoom(key);
    if (!hasBegun) this.#news.tell(conversationId, { turn: frame.turn, ended: log.ended });
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  async *subscribe(conversationId: string, turnId: string, options: SubscribeOptions): AsyncGenerator<Frame> {
    for await (const frames of this.read(conversationId, turnId, options))
      for (const { frame } of frames) {
        if (options.signal.aborted) return;
        yield frame;
      }
  }

  async *turns(conversationId: string, options: { readonly signal: AbortSignal }): AsyncGenerator<string> {
    for await (const { turn, ended } of this.notices(conversationId, options)) if (!ended) yield turn;
  }

  /** The turns of which frames are kept, then those that begin, each once. */
  notices(conversationId: string, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<TurnNotice> {
    const kept = [...this.#turns].flatMap(([key, log]) => {
      const [conversation, turn] = JSON.parse(key) as [string, string];
      return conversation === conversationId && log.hasBegun ? [{ turn, ended: log.ended }] : [];
    });
    return this.#news.listen(conversationId, kept, signal);
  }

  /** As `subscribe`, in groups of what is there at the time. A turn nobody knows yet is waited for. */
  async *read(
    conversationId: string,
    turnId: string,
    { signal, from }: SubscribeOptions,
  ): AsyncGenerator<readonly KeptFrame[]> {
    const key = keyOf(conversationId, turnId);
    const log = this.#openTurn(key);
    log.readers += 1;
    try {
      let position = log.positionAfter(from);
      while (!signal.aborted) {
        const { frames, next } = log.from(position);
        position = next;
        if (frames.length > 0) yield frames;
        if (log.from(position).frames.length > 0) continue;
        // Nothing comes after the end, also where it was dropped before this reader got to it.
        if (log.ended) return;
        await log.wait(signal);
      }
    } finally {
      log.readers -= 1;
      if (log.readers === 0 && log.isEmpty && this.#turns.get(key) === log) this.#turns.delete(key);
    }
  }

  /** Whether the turn has ended and nothing of it comes after the cursor. */
  isAtEnd(conversationId: string, turnId: string, cursor: FrameCursor): boolean {
    const log = this.#turns.get(keyOf(conversationId, turnId));
    return log?.ended === true && log.from(log.positionAfter(cursor)).frames.length === 0;
  }

  /** Bytes and turns kept, for a page of state. */
  get kept(): { readonly bytes: number; readonly turns: number } {
    return { bytes: this.#bytes, turns: this.#turns.size };
  }

  #openTurn(key: string): TurnLog {
    const log = this.#turns.get(key) ?? new TurnLog(this.#now());
    this.#turns.set(key, log);
    return log;
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, log] of this.#turns) {
      const age = now - log.touchedAt;
      if (age > (log.ended ? this.#limits.endedMs : this.#limits.idleMs)) this.#forget(key, log);
    }
  }

  #makeRoom(newest: string): void {
    for (const onlyEnded of [true, false])
      for (const [key, log] of this.#turns) {
        if (this.#bytes <= this.#limits.totalBytes) return;
        if (key !== newest && (log.ended || !onlyEnded)) this.#forget(key, log);
      }
  }

  /** Readers keep the log that they wait on; only its frames go. */
  #forget(key: string, log: TurnLog): void {
    this.#bytes -= log.bytes;
    log.clear();
    if (log.readers === 0) this.#turns.delete(key);
  }
}

const keyOf = (conversationId: string, turnId: string): string => JSON.stringify([conversationId, turnId]);
