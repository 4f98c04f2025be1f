/** Blobs that were read before it was known where they are needed. */
import type { MediaStore, MediaStoreCallOptions } from "../../core/media/media-store.js";
import { BlobDamagedError } from "../../media-stores/blob-damaged-error.js";

type Readable = Pick<MediaStore, "get" | "getStream"> & Partial<Pick<MediaStore, "put">>;

export interface ReadAheadOptions {
  /** Reading ends once more bytes than this have come. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A store's answers for some keys. Each is handed out once, for its memory may go to a thread; then the store is asked. */
export class ReadBlobs implements Readable {
  readonly #store: Readable;
  readonly #read = new Map<string, Uint8Array>();
  /** Of the store itself, where it streams: who takes a blob in chunks reads it again, which is 1 MiB at most. */
  readonly getStream?: Exclude<MediaStore["getStream"], undefined>;
  /** Of the store itself. */
  readonly put?: MediaStore["put"];
  #bytes = 0;

  private constructor(store: Readable) {
    this.#store = store;
    if (store.getStream !== undefined) this.getStream = store.getStream.bind(store);
    if (store.put !== undefined) this.put = store.put.bind(store);
  }

  static async read(
    store: Readable,
    keys: Iterable<string>,
    { limit, signal }: ReadAheadOptions,
  ): Promise<ReadBlobs> {
    const blobs = new ReadBlobs(store);
    for (const key of keys) {
      if (blobs.#bytes > limit) break;
      const bytes = await blobs.#readWithin(key, limit, signal).catch((error: unknown) => {
        // Left to who asks for it.
        if (error instanceof BlobDamagedError) return undefined;
        throw error;
      });
      if (bytes !== undefined) blobs.#read.set(key, bytes);
    }
    return blobs;
  }

  /** How many were read: above the limit there are more. */
  get bytes(): number {
    return this.#bytes;
  }

  async get(key: string, options?: MediaStoreCallOptions): Promise<Uint8Array | undefined> {
    const bytes = this.#read.get(key);
    if (bytes === undefined) return this.#store.get(key, options);
    this.#read.delete(key);
    return bytes;
  }

  /** The blob, or undefined where there is none or where it is larger than what may still come. */
  async #readWithin(key: string, limit: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.#store.getStream === undefined) {
      const whole = await this.#store.get(key, { signal });
      this.#bytes += whole?.byteLength ?? 0;
      return whole;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await this.#store.getStream(key, { signal })) ?? []) {
      chunks.push(chunk);
      this.#bytes += chunk.byteLength;
      if (this.#bytes > limit) return undefined;
    }
    return chunks.length === 0 ? this.#store.get(key, { signal }) : Buffer.concat(chunks);
  }
}
