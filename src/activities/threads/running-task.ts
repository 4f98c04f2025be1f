/** A task that a thread works on, as the main loop sees it. */
import { setImmediate } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import type { MediaStore } from "../../core/media/media-store.js";
import { BlobDamagedError } from "../../media-stores/blob-damaged-error.js";
import { jsonWeight } from "../json-weight.js";
import { failureOf } from "./failure-data.js";
import { type FromThread, postBytes, type ToThread } from "./thread-messages.js";

/** What a thread reaches on the main loop. */
export interface TaskPorts<Event> {
  /** Read and written here, in the store's own way: it may exist in this thread only. */
  readonly mediaStore: Pick<MediaStore, "get" | "getStream"> & Partial<Pick<MediaStore, "put">>;
  readonly signal?: AbortSignal;
  onEvent?(event: Event): void;
}

/** How much is put on the way in one go. */
const BATCH_BYTES = 256 * 1024;

export class RunningTask<Event, Result> {
  readonly result: Promise<Result>;
  readonly #port: MessagePort;
  readonly #ports: TaskPorts<Event>;
  readonly #settle: PromiseWithResolvers<Result> = Promise.withResolvers();
  #hasEnded = false;

  constructor(port: MessagePort, ports: TaskPorts<Event>) {
    this.#port = port;
    this.#ports = ports;
    this.result = this.#settle.promise;
    // Whoever sends the entries may still be at it when the task fails.
    this.result.catch(() => undefined);
    port.on("message", (message: FromThread) => this.#take(message));
    ports.signal?.addEventListener("abort", this.#abort);
  }

  /** Hands the entries over in batches between which the loop is free, then lets the task begin. */
  async send(entries: readonly unknown[]): Promise<void> {
    let batch: unknown[] = [];
    let weight = 0;
    for (const entry of entries) {
      batch.push(entry);
      weight += jsonWeight(entry, BATCH_BYTES);
      if (weight < BATCH_BYTES) continue;
      this.#post({ type: "entries", entries: batch });
      [batch, weight] = [[], 0];
      await setImmediate();
      if (this.#hasEnded) return;
    }
    if (batch.length > 0) this.#post({ type: "entries", entries: batch });
    this.#post({ type: "begin" });
  }

  fail(error: unknown): void {
    this.#end();
    this.#settle.reject(error);
  }

  #take(message: FromThread): void {
    // What was said before an abort reached the thread is of no use any more.
    if (this.#hasEnded) return;
    switch (message.type) {
      case "event":
        this.#ports.onEvent?.(message.event as Event);
        break;
      case "get":
        this.#answer(message.id, this.#get(message.id, message.key));
        break;
      case "put":
        this.#answer(message.id, this.#put(message.key, message.bytes));
        break;
      case "done":
        this.#end();
        this.#settle.resolve(message.value as Result);
        break;
      case "failed":
        this.fail(failureOf(message.failure));
    }
  }

  /** Sends a blob on in the chunks in which it comes, with a free loop now and then where they come without waiting. */
  async #get(id: number, key: string): Promise<boolean> {
    const { mediaStore } = this.#ports;
    if (mediaStore.getStream === undefined) {
      const bytes = await mediaStore.get(key, this.#options());
      if (bytes !== undefined) this.#postChunk(id, bytes);
      return bytes !== undefined;
    }
    const chunks = await mediaStore.getStream(key, this.#options());
    if (chunks === undefined) return false;
    try {
      await this.#sendChunks(id, chunks);
      return true;
    } catch (error) {
      // Its thread would not know the class: a damaged blob is one that is not there.
      if (error instanceof BlobDamagedError) return false;
      throw error;
    }
  }

  async #sendChunks(id: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    let sent = 0;
    for await (const chunk of chunks) {
      if (this.#hasEnded) break;
      this.#postChunk(id, chunk);
      sent += chunk.byteLength;
      if (sent < BATCH_BYTES) continue;
      sent = 0;
      await setImmediate();
    }
  }

  async #put(key: string, bytes: Uint8Array): Promise<boolean> {
    await this.#ports.mediaStore.put?.(key, bytes, this.#options());
    return true;
  }

  /** An error of the store is what the task fails with, unchanged. */
  #answer(id: number, stored: Promise<boolean>): void {
    stored.then(
      (found) => this.#post({ type: "stored", id, found }),
      (error: unknown) => this.#stop(error),
    );
  }

  #postChunk(id: number, bytes: Uint8Array): void {
    if (!this.#hasEnded) postBytes(this.#port, { type: "chunk", id, bytes }, bytes);
  }

  readonly #abort = (): void => this.#stop(this.#ports.signal?.reason);

  #stop(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#post({ type: "abort" });
    this.fail(reason);
  }

  #post(message: ToThread): void {
    if (!this.#hasEnded) this.#port.postMessage(message);
  }

  #options(): { readonly signal?: AbortSignal } {
    const { signal } = this.#ports;
    return signal === undefined ? {} : { signal };
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ports.signal?.removeEventListener("abort", this.#abort);
    this.#port.close();
  }
}
