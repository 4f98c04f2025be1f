/** Blobs that were read before it was known where they are needed. */
import type { MediaStore, MediaStoreCallOptions } from "../../core/media/media-store.js";

type Readable = Pick<MediaStore, "get">;

/** A store's answers for some keys. Each is handed out once, for its memory may go to a thread; then the store is asked. */
export class ReadBlobs implements Readable {
  readonly #store: Readable;
  readonly #read = new Map<string, Uint8Array>();
  /** Of all that was read. */
  readonly bytes: number;

  private constructor(store: Readable, read: ReadonlyMap<string, Uint8Array>) {
    this.#store = store;
    this.#read = new Map(read);
    this.bytes = [...read.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  static async read(store: Readable, keys: Iterable<string>, signal: AbortSignal): Promise<ReadBlobs> {
    const read = new Map<string, Uint8Array>();
    for (const key of keys) {
      const bytes = await store.get(key, { signal });
      if (bytes !== undefined) read.set(key, bytes);
    }
    return new ReadBlobs(store, read);
  }

  async get(key: string, options?: MediaStoreCallOptions): Promise<Uint8Array | undefined> {
    const bytes = this.#read.get(key);
    if (bytes === undefined) return this.#store.get(key, options);
    this.#read.delete(key);
    return bytes;
  }
}
