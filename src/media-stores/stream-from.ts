/** The bytes of a blob in chunks, from any media store. */
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { piecesOf } from "./digest.js";

/**
 * The blob in chunks: as a stream where the store can, otherwise read whole and cut. Undefined where nothing is kept. A damaged
 * blob may show only in the place of its last chunk.
 */
export async function streamFrom(
  store: Pick<MediaStore, "get" | "getStream">,
  key: string,
  options: MediaStoreCallOptions = {},
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (store.getStream !== undefined) return store.getStream(key, options);
  const bytes = await store.get(key, options);
  return bytes === undefined ? undefined : streamOf(bytes);
}

/** Bytes as a source of chunks. */
export async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield* piecesOf(bytes);
}
