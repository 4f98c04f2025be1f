/** A worker's end of the stream: frames leave in small batches, and a hub that is gone never holds up a turn. */
import { setTimeout as delay } from "node:timers/promises";
import type { Frame, FrameSink } from "../core/conversation/frame.js";
import { BATCH_CHARACTERS, type FrameBatch, FrameQueue, type QueuedFrame } from "./frame-queue.js";
import type { StreamAddress } from "./stream-address.js";
import { bearer, pushUrl } from "./stream-url.js";

export interface SseFrameSinkOptions extends StreamAddress {
  /** Told once when frames begin to be lost, until they get through again. */
  readonly onProblem?: (message: string) => void;
}

/** How long the first frame of a batch waits for others; so many do not wait. */
const GATHER_MS = 5;
const GATHER_FRAMES = 64;
const POST_MS = 2_000;
const FLUSH_MS = 2_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

export class SseFrameSink implements FrameSink {
  readonly #addressNow: () => StreamAddress;
  readonly #onProblem: SseFrameSinkOptions["onProblem"];
  #address: StreamAddress;
  readonly #stopping = new AbortController();
  readonly #queue = new FrameQueue();
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #dropped = 0;
  #failingSince: number | null = null;
  #hasToldProblem = false;

  /** A function is asked again whenever the hub cannot be reached: one that starts again may be elsewhere. */
  constructor(options: SseFrameSinkOptions | (() => StreamAddress)) {
    this.#addressNow = typeof options === "function" ? options : () => options;
    this.#onProblem = typeof options === "function" ? undefined : options.onProblem;
    this.#address = this.#addressNow();
  }

  /** How many frames were lost so far: the hub was away for too long, or refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  push(conversationId: string, frame: Frame): void {
    const json = JSON.stringify(frame);
    if (this.#stopping.signal.aborted || json.length > BATCH_CHARACTERS) {
      this.#drop(1, "a frame is too large, or came after the close");
      return;
    }
    this.#drop(this.#queue.add({ conversationId, json }), "the stream hub cannot be reached");
    this.#schedule();
  }

  /** Does not wait for a hub that has been away for longer than it would wait: every turn would end that much later. */
  async flush(): Promise<void> {
    this.#send();
    const isAway = this.#failingSince !== null && Date.now() - this.#failingSince > FLUSH_MS;
    if (this.#sending === null || isAway) return;
    const waited = new AbortController();
    const late = delay(FLUSH_MS, undefined, { signal: waited.signal }).catch(() => undefined);
    await Promise.race([this.#sending, late]);
    waited.abort();
  }

  /** Sends what is there, for at most two seconds, and takes no more. */
  async close(): Promise<void> {
    await this.flush();
    this.#stopping.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dropped += this.#queue.clear();
  }

  #schedule(): void {
    if (this.#sending !== null) return;
    if (this.#queue.length >= GATHER_FRAMES) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#sending !== null || this.#queue.length === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  /** One batch of each conversation at a time, so that their frames keep their order. */
  async #sendAll(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (this.#queue.length > 0 && !this.#stopping.signal.aborted) {
      const results = await Promise.all(this.#queue.takeBatches().map((batch) => this.#post(batch)));
      const failed = results.flat();
      if (failed.length === 0) {
        retryMs = FIRST_RETRY_MS;
        await delay(this.#queue.length === 0 ? 0 : GATHER_MS);
        continue;
      }
      this.#drop(this.#queue.putBack(failed), "the stream hub cannot be reached");
      await delay(retryMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** Resolves to the frames to send again. */
  async #post({ conversationId, frames }: FrameBatch): Promise<readonly QueuedFrame[]> {
    try {
      const response = await fetch(pushUrl(this.#address, conversationId), {
        method: "POST",
        headers: { authorization: bearer(this.#address), "content-type": "application/x-ndjson" },
        body: frames.map(({ json }) => json).join("\n"),
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(POST_MS)]),
      });
      const answer = await response.text();
      if (response.status >= 500) return this.#failed(frames);
      this.#failingSince = null;
      if (response.ok) this.#hasToldProblem = false;
      else this.#drop(frames.length, `the stream hub refuses them (${response.status} ${answer.trim()})`);
      return [];
    } catch {
      return this.#failed(frames);
    }
  }

  #failed(frames: readonly QueuedFrame[]): readonly QueuedFrame[] {
    this.#failingSince ??= Date.now();
    this.#address = this.#addressNow();
    return frames;
  }

  #drop(count: number, problem: string): void {
    this.#dropped += count;
    if (count === 0 || this.#hasToldProblem) return;
    this.#hasToldProblem = true;
    this.#onProblem?.(`Readers lose frames, turns go on: ${problem} (${this.#address.url})`);
  }
}
