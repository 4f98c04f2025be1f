/** A task as its thread sees it: the entries that come in, the store that is elsewhere, and the way back. */
import type { MessagePort } from "node:worker_threads";
import type { MediaStore } from "../../core/media/media-store.js";
import { failureData } from "./failure-data.js";
import { type FromThread, postBytes, type ToThread } from "./thread-messages.js";

/** A blob that the main loop was asked to read or write, and what has come of it. */
interface Asked {
  readonly answer: PromiseWithResolvers<Uint8Array | undefined>;
  readonly chunks: Uint8Array[];
}

export class TaskSide<Entry, Event> {
  readonly #port: MessagePort;
  readonly #abort = new AbortController();
  readonly #entries: Entry[] = [];
  readonly #begin: PromiseWithResolvers<readonly Entry[]> = Promise.withResolvers();
  readonly #asking = new Map<number, Asked>();
  #asked = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#begin.promise.catch(() => undefined);
    port.on("message", (message: ToThread) => this.#take(message));
    port.on("close", () => this.#stop());
  }

  /** All of them, once they are here. */
  get entries(): Promise<readonly Entry[]> {
    return this.#begin.promise;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The main loop's store. */
  readonly mediaStore: MediaStore = {
    get: (key) => this.#ask((id) => ({ type: "get", id, key })),
    put: async (key, bytes) => {
      // A copy made here may leave with its memory, so that the main loop makes none.
      const copy = new Uint8Array(bytes);
      await this.#ask((id) => ({ type: "put", id, key, bytes: copy }), copy);
    },
  };

  tell(event: Event): void {
    this.#post({ type: "event", event });
  }

  /** `bytes` are those in the value that may leave with their memory. */
  done(value: unknown, bytes?: Uint8Array): void {
    this.#post({ type: "done", value }, bytes);
  }

  failed(error: unknown): void {
    this.#post({ type: "failed", failure: failureData(error) });
  }

  #take(message: ToThread): void {
    if (message.type === "entries") {
      for (const entry of message.entries) this.#entries.push(entry as Entry);
    } else if (message.type === "begin") this.#begin.resolve(this.#entries);
    else if (message.type === "abort") this.#stop();
    else if (message.type === "chunk") this.#asking.get(message.id)?.chunks.push(message.bytes);
    else {
      const asked = this.#asking.get(message.id);
      this.#asking.delete(message.id);
      asked?.answer.resolve(message.found ? joined(asked.chunks) : undefined);
    }
  }

  #ask(message: (id: number) => FromThread, bytes?: Uint8Array): Promise<Uint8Array | undefined> {
    this.signal.throwIfAborted();
    const answer = Promise.withResolvers<Uint8Array | undefined>();
    this.#asked += 1;
    this.#asking.set(this.#asked, { answer, chunks: [] });
    this.#post(message(this.#asked), bytes);
    return answer.promise;
  }

  #post(message: FromThread, bytes?: Uint8Array): void {
    postBytes(this.#port, message, bytes);
  }

  /** Nobody waits for the task any more. */
  #stop(): void {
    if (this.signal.aborted) return;
    this.#abort.abort();
    this.#begin.reject(this.signal.reason);
    for (const { answer } of this.#asking.values()) answer.reject(this.signal.reason);
    this.#asking.clear();
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
