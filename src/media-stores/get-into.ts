/** A blob into whatever takes chunks. */
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { streamFrom } from "./stream-from.js";

/**
 * Hands each chunk of the blob to `write` and waits for it before the next. False where nothing is kept. When it throws, what was
 * written before is not to be kept: a damaged blob shows at its end.
 */
export async function getInto(
  store: MediaStore,
  key: string,
  write: (chunk: Uint8Array) => void | Promise<void>,
  options: MediaStoreCallOptions = {},
): Promise<boolean> {
  const chunks = await streamFrom(store, key, options);
  if (chunks === undefined) return false;
  for await (const chunk of chunks) await write(chunk);
  return true;
}
