/** The bytes of a restored envelope into the working store, wherever they lie: streamed, each blob once. */
import pLimit from "p-limit";
import { jsonTextByteLength } from "../core/json-byte-length.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { boundedStream } from "../media-stores/bounded-stream.js";
import { putFrom } from "../media-stores/put-from.js";
import { streamFrom } from "../media-stores/stream-from.js";

const BLOBS_AT_ONCE = 4;
/** As much as tells the type of a file. */
const HEAD_BYTES = 4_100;

/** What was seen of a blob while it was read to its end, its digest checked. */
export interface BlobFacts {
  readonly size_bytes: number;
  readonly json_bytes: number;
  readonly head: Uint8Array;
}

/** Opens the stores that may have what the working store lacks, one after the other, and only where one is needed. */
export type Sources = readonly (() => MediaStore)[];

export interface Bringing {
  readonly working: MediaStore;
  readonly sources: Sources;
  /** What the media table says, where it says it. */
  readonly sizeOf?: (key: string) => number | undefined;
  /** Gets the keys of blobs that a store has with other bytes, and nobody with their own. */
  readonly damaged: Set<string>;
}

/**
 * The facts of every blob that the working store has in the end; what it lacks is copied from the first source that has it.
 * A blob with another digest than its key is none.
 *
 * @throws what a store throws that cannot be used.
 */
export async function bringMedia(
  keys: Iterable<string>,
  { working, sources, sizeOf, damaged }: Bringing,
): Promise<ReadonlyMap<string, BlobFacts>> {
  const asked = [...new Set(keys)];
  const found = await eachBlob(
    asked,
    async (key) =>
      (await keptYoung(working, key, damaged)) ??
      (await brought(key, { working, sources, damaged, ...(sizeOf && { sizeOf }) })),
  );
  // The same bytes may be kept under the key of another type alone.
  const byDigest = new Map([...found.keys()].map((key) => [digestOfKey(key), key]));
  const copied = await eachBlob(
    asked.filter((key) => !found.has(key)),
    async (key) => {
      const other = byDigest.get(digestOfKey(key));
      return other === undefined ? undefined : copiedFrom(working, { other, key, damaged });
    },
  );
  const all = new Map([...found, ...copied]);
  for (const key of all.keys()) damaged.delete(key);
  return all;
}

async function eachBlob(
  keys: readonly string[],
  factsFor: (key: string) => Promise<BlobFacts | undefined>,
): Promise<Map<string, BlobFacts>> {
  const atOnce = pLimit(BLOBS_AT_ONCE);
  const found = await Promise.all(
    keys.map((key) =>
      atOnce(async (): Promise<(readonly [string, BlobFacts])[]> => {
        const facts = await factsFor(key);
        return facts === undefined ? [] : [[key, facts]];
      }),
    ),
  );
  return new Map(found.flat());
}

async function copiedFrom(
  working: MediaStore,
  { other, key, damaged }: { readonly other: string; readonly key: string; readonly damaged: Set<string> },
): Promise<BlobFacts | undefined> {
  const chunks = await unlessDamaged(streamFrom(working, other), damaged);
  if (chunks === undefined) return undefined;
  const watch = new Watch();
  const put = putFrom(working, key, watch.over(chunks)).then(() => true);
  return (await unlessDamaged(put, damaged)) === undefined ? undefined : watch.facts;
}

/** As `factsOf`. The blob is put again, for garbage collection spares what has just been put: nothing names it yet. */
async function keptYoung(
  working: MediaStore,
  key: string,
  damaged: Set<string>,
): Promise<BlobFacts | undefined> {
  const facts = await factsOf(working, key, damaged);
  if (facts === undefined || working.delete === undefined) return facts;
  try {
    const chunks = await unlessDamaged(streamFrom(working, key), damaged);
    if (chunks === undefined) return undefined;
    await putFrom(working, key, chunks, { sizeBytes: facts.size_bytes });
    return facts;
  } catch (error) {
    // It was collected meanwhile: then it is missing as any other.
    if ((await streamFrom(working, key)) === undefined) return undefined;
    throw error;
  }
}

async function brought(
  key: string,
  { working, sources, sizeOf, damaged }: Bringing,
): Promise<BlobFacts | undefined> {
  for (const open of sources) {
    const watch = new Watch();
    const chunks = await unlessDamaged(streamFrom(open(), key), damaged);
    if (chunks === undefined) continue;
    const bounded = boundedStream(key, chunks, sizeOf?.(key));
    const put = putFrom(working, key, watch.over(bounded)).then(() => true);
    if ((await unlessDamaged(put, damaged)) === undefined) continue;
    // Someone else may have put it meanwhile, and then nothing was read.
    return watch.isOver ? watch.facts : factsOf(working, key, damaged);
  }
  return undefined;
}

async function factsOf(store: MediaStore, key: string, damaged: Set<string>): Promise<BlobFacts | undefined> {
  const watch = new Watch();
  const chunks = await unlessDamaged(streamFrom(store, key), damaged);
  if (chunks === undefined) return undefined;
  const read = async (): Promise<true> => {
    for await (const _ of watch.over(chunks)) {
      // Watched; reading it to its end checks the digest.
    }
    return true;
  };
  return (await unlessDamaged(read(), damaged)) === undefined ? undefined : watch.facts;
}

/** The first bytes of a blob; undefined of one that is not there, or is damaged so soon. */
export async function headOf(store: MediaStore, key: string): Promise<Uint8Array | undefined> {
  const chunks = await unlessDamaged(streamFrom(store, key));
  if (chunks === undefined) return undefined;
  const watch = new Watch();
  const read = async (): Promise<true> => {
    for await (const _ of watch.over(chunks)) {
      if (watch.facts.head.byteLength >= HEAD_BYTES) break;
    }
    return true;
  };
  return (await unlessDamaged(read())) === undefined ? undefined : watch.facts.head;
}

async function unlessDamaged<T>(work: Promise<T>, damaged: Set<string> = new Set()): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof BlobDamagedError)) throw error;
    damaged.add(error.key);
    return undefined;
  }
}

/** Sees chunks pass. */
class Watch {
  #size = 0;
  #json = 0;
  #head: Uint8Array = new Uint8Array();
  #over = false;

  get isOver(): boolean {
    return this.#over;
  }

  get facts(): BlobFacts {
    return { size_bytes: this.#size, json_bytes: this.#json, head: this.#head };
  }

  async *over(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#size += chunk.byteLength;
      this.#json += jsonTextByteLength(chunk);
      if (this.#head.byteLength < HEAD_BYTES) {
        this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.byteLength)]);
      }
      yield chunk;
    }
    this.#over = true;
  }
}
