/** Blobs from one store to another, streamed: no blob is ever held whole where both stores can stream. */
import pLimit from "p-limit";
import type { MediaStore } from "../core/media/media-store.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { putFrom } from "../media-stores/put-from.js";
import { streamFrom } from "../media-stores/stream-from.js";

/** Each copy holds some chunks and a connection or two. */
const COPIES_AT_ONCE = 4;

export interface CopiedBlob {
  readonly key: string;
  /** Where it is known: a store that has the blob then does not read it. */
  readonly sizeBytes?: number;
}

/**
 * Puts every blob of `from` into `to`, each once. Resolves to the keys of which neither has the bytes.
 *
 * @throws what a store throws that cannot be used. A damaged blob counts as one that is not there; `damaged` gets its key.
 */
export async function copyMedia(
  blobs: readonly CopiedBlob[],
  from: MediaStore,
  to: MediaStore,
  damaged: Set<string> = new Set(),
): Promise<ReadonlySet<string>> {
  const atOnce = pLimit(COPIES_AT_ONCE);
  const copying = blobs.map((blob) =>
    atOnce(async () =>
      (await copyBlob(blob, from, to, damaged)) || (await hasBlob(to, blob.key)) ? [] : [blob.key],
    ),
  );
  // One that fails fails all, but not while others still write.
  await Promise.allSettled(copying);
  return new Set((await Promise.all(copying)).flat());
}

/** False where `from` does not have it whole. */
export async function copyBlob(
  { key, sizeBytes }: CopiedBlob,
  from: MediaStore,
  to: MediaStore,
  damaged: Set<string> = new Set(),
): Promise<boolean> {
  try {
    const chunks = await streamFrom(from, key);
    if (chunks === undefined) return false;
    await putFrom(to, key, chunks, sizeBytes === undefined ? {} : { sizeBytes });
    return true;
  } catch (error) {
    if (!(error instanceof BlobDamagedError)) throw error;
    damaged.add(key);
    return false;
  }
}

/** True where the store has the blob with the digest that its key names. */
export async function hasBlob(store: MediaStore, key: string): Promise<boolean> {
  try {
    const chunks = await streamFrom(store, key);
    if (chunks === undefined) return false;
    for await (const _ of chunks) {
      // Reading it to its end checks the digest.
    }
    return true;
  } catch (error) {
    if (error instanceof BlobDamagedError) return false;
    throw error;
  }
}
