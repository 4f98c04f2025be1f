/** The protocol of a media store: bytes under a content-addressed key. */

export interface MediaStoreCallOptions {
  readonly signal?: AbortSignal;
}

/**
 * Two methods make a store. Keys are `<64 hex of the SHA-256>.<short ext>`; a store never sees another form.
 * `put` of a key that is there is a no-op; `get` checks the digest and resolves to undefined where nothing is kept.
 */
export interface MediaStore {
  put(key: string, bytes: Uint8Array, options?: MediaStoreCallOptions): Promise<void>;
  get(key: string, options?: MediaStoreCallOptions): Promise<Uint8Array | undefined>;
  /** Optional, for garbage collection. */
  list?(
    options?: MediaStoreCallOptions,
  ): AsyncIterable<{ readonly key: string; readonly size_bytes: number; readonly modified_at: string }>;
  delete?(key: string, options?: MediaStoreCallOptions): Promise<void>;
}
