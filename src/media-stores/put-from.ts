/** A source of chunks into any media store. */
import { Readable } from "node:stream";
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
    else await store.put(key, await collect(source, options.sizeBytes), options);
  } finally {
    await close(source);
  }
}

/** A stream of Node's is destroyed: ending an iteration that has not begun would leave its file open. */
async function close(source: AsyncIterable<Uint8Array>): Promise<void> {
  if (source instanceof Readable) {
    source.destroy();
    return;
  }
  try {
    await source[Symbol.asyncIterator]().return?.();
  } catch {
    // What there was to say has been said: it was read to its end, or the putting has failed.
  }
}
