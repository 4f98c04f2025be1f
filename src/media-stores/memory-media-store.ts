/** A media store in the memory of one process: for tests, and for what need not outlive it. */
import { assertMediaKey } from "../core/media/marker.js";
import type {
  MediaStore,
  MediaStoreCallOptions,
  PutStreamOptions,
  StoredBlob,
} from "../core/media/media-store.js";
import { collect } from "./collect.js";
import { assertDigest } from "./digest.js";
import { GuardedSource } from "./guarded-source.js";
import { streamOf } from "./stream-from.js";

interface KeptBlob {
  readonly bytes: Uint8Array;
  readonly modified: Date;
}

export class MemoryMediaStore implements MediaStore {
  readonly #blobs = new Map<string, KeptBlob>();

  /** @throws UsageError for a malformed key, BlobDamagedError for bytes of another digest. */
  async put(key: string, bytes: Uint8Array, options: MediaStoreCallOptions = {}): Promise<void> {
    assertMediaKey(key);
    options.signal?.throwIfAborted();
    const there = this.#blobs.get(key);
    const kept = there?.bytes ?? new Uint8Array(bytes);
    if (there === undefined) await assertDigest(key, kept, "Put it under the key of its own digest.");
    options.signal?.throwIfAborted();
    this.#blobs.set(key, { bytes: kept, modified: new Date() });
  }

  /** As `put`. The chunks are kept whole in memory, as everything here. */
  async putStream(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options: PutStreamOptions = {},
  ): Promise<void> {
    assertMediaKey(key);
    options.signal?.throwIfAborted();
    await this.put(key, await collect(source, options.sizeBytes), options);
  }

  /** @throws UsageError for a malformed key. */
  async get(key: string, options: MediaStoreCallOptions = {}): Promise<Uint8Array | undefined> {
    assertMediaKey(key);
    options.signal?.throwIfAborted();
    const blob = this.#blobs.get(key);
    return blob === undefined ? undefined : new Uint8Array(blob.bytes);
  }

  /** @throws UsageError for a malformed key. */
  async getStream(
    key: string,
    options: MediaStoreCallOptions = {},
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bytes = await this.get(key, options);
    return bytes === undefined ? undefined : new GuardedSource(streamOf(bytes), options.signal).chunks();
  }

  async *list(options: MediaStoreCallOptions = {}): AsyncGenerator<StoredBlob, void, undefined> {
    for (const [key, { bytes, modified }] of this.#blobs) {
      options.signal?.throwIfAborted();
      yield { key, size_bytes: bytes.byteLength, modified_at: modified.toISOString() };
    }
  }

  /** @throws UsageError for a malformed key. */
  async delete(key: string, options: MediaStoreCallOptions = {}): Promise<void> {
    assertMediaKey(key);
    options.signal?.throwIfAborted();
    this.#blobs.delete(key);
  }

  /** @throws UsageError for a malformed key. */
  async deleteOlder(key: string, putBefore: Date, options: MediaStoreCallOptions = {}): Promise<boolean> {
    const blob = this.#blobs.get(key);
    if (blob !== undefined && blob.modified >= putBefore) return false;
    await this.delete(key, options);
    return true;
  }
}
