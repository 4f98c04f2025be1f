/** A source of chunks into any media store. */
import type { MediaStore, PutStreamOptions } from "../core/media/media-store.js";
import { collect } from "./collect.js";

/**
 * Puts the chunks of `source` under `key`: as a stream where the store can, otherwise whole. The source is closed in the end,
 * also when it was not read because the store has the blob.
 *
 * @throws what the store's `put` throws, and what the source throws.
 */
export async function putFrom(
  store: MediaStore,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutStreamOptions = {},
): Promise<void> {
  try {
    if (store.putStream !== undefined) await store.putStream(key, source, options);
    else await store.put(key, await collect(source), options);
  } finally {
    await source[Symbol.asyncIterator]()
      .return?.()
      .catch(() => undefined);
  }
}
