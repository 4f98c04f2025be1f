/** The protocol of a media store: bytes under a content-addressed key. */

export interface MediaStoreCallOptions {
  readonly signal?: AbortSignal;
}

export interface PutStreamOptions extends MediaStoreCallOptions {
  /** Length of the source, where it is known: a store that has the blob whole then does not read the source. */
  readonly sizeBytes?: number;
}

/** One blob in a listing. */
export interface StoredBlob {
  readonly key: string;
  readonly size_bytes: number;
  /** ISO 8601 in UTC: when it was last put, give or take half a day. */
  readonly modified_at: string;
}

/** What a write that was killed has left, a file or the parts of an upload: never a blob. */
export interface StoredLeftover {
  /** Of the file, or of the object that the upload was for. */
  readonly name: string;
  readonly size_bytes: number;
  /** ISO 8601 in UTC: when it was last written to. */
  readonly modified_at: string;
}

export interface LeftoverOptions extends MediaStoreCallOptions {
  /** Deletes what is found. */
  readonly delete?: boolean;
}

/**
 * Two methods make a store. Keys are `<64 hex of the SHA-256>.<short ext>`; a store refuses any other form before it does
 * anything. `put` of a blob that is there whole sends nothing, but makes it young again for `list`: garbage collection spares
 * what has just been put. A damaged one it replaces. `get` checks the digest and resolves to undefined where nothing is kept.
 *
 * The other methods are optional and found by presence. Bytes are then streamed, and old blobs can be listed and deleted.
 */
export interface MediaStore {
  put(key: string, bytes: Uint8Array, options?: MediaStoreCallOptions): Promise<void>;
  get(key: string, options?: MediaStoreCallOptions): Promise<Uint8Array | undefined>;
  /** `put` of bytes that come in chunks. A source that fails, or has another digest, leaves the store as it was. */
  putStream?(key: string, source: AsyncIterable<Uint8Array>, options?: PutStreamOptions): Promise<void>;
  /**
   * `get` in chunks. The digest is known at the end only: where it is wrong, iterating throws in the place of the last chunk,
   * so that whoever writes the chunks elsewhere must not keep them. Nothing is opened before the first chunk is asked for.
   */
  getStream?(key: string, options?: MediaStoreCallOptions): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Every blob once, in any order. What is no blob is passed over. */
  list?(options?: MediaStoreCallOptions): AsyncIterable<StoredBlob>;
  /** Deleting what is not there is no error. */
  delete?(key: string, options?: MediaStoreCallOptions): Promise<void>;
  /** Deletes a blob that was last put before that moment; resolves to false for one that is younger, which stays. */
  deleteOlder?(key: string, putBefore: Date, options?: MediaStoreCallOptions): Promise<boolean>;
  /** What writes that were killed have left and nobody has written to since that moment. */
  leftovers?(writtenBefore: Date, options?: LeftoverOptions): Promise<readonly StoredLeftover[]>;
}
