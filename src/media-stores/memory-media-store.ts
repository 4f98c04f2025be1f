/** A media store in the memory of one process: for tests, and for what need not outlive it. */
import { assertMediaKey } from "../core/media/marker.js";
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { assertDigest } from "./blob-damaged-error.js";

export class MemoryMediaStore implements MediaStore {
  readonly #blobs = new Map<string, Uint8Array>();

  /** @throws UsageError for a malformed key, BlobDamagedError for bytes of another digest. */
  async put(key: string, bytes: Uint8Array, options: MediaStoreCallOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    assertMediaKey(key);
    if (this.#blobs.has(key)) return;
    const kept = new Uint8Array(bytes);
    await assertDigest(key, kept, "Put it under the key of its own digest.");
    this.#blobs.set(key, kept);
  }

  /** @throws UsageError for a malformed key. */
  async get(key: string, options: MediaStoreCallOptions = {}): Promise<Uint8Array | undefined> {
    options.signal?.throwIfAborted();
    assertMediaKey(key);
    const blob = this.#blobs.get(key);
    return blob === undefined ? undefined : new Uint8Array(blob);
  }
}
