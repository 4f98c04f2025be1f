/** A media store of the user's own, whose failures are told in one line that names it. */
import { cleanText } from "../core/errors/clean-text.js";
import { isHoldfastError } from "../core/errors/errors.js";
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { DirectoryMediaStore } from "../media-stores/directory-media-store.js";
import { IdleLimit } from "../media-stores/idle-limit.js";
import { MediaStoreUnavailableError } from "../media-stores/media-store-unavailable-error.js";
import { MemoryMediaStore } from "../media-stores/memory-media-store.js";
import { S3MediaStore } from "../media-stores/s3-media-store.js";
import { withAbort } from "../media-stores/with-abort.js";

const MESSAGE_BYTES = 2_048;

/** What a whole blob may take of which nothing is seen meanwhile; of a stream, one chunk. */
const PATIENCE_MS = 300_000;

export interface GuardOptions {
  /** Milliseconds in which something must come of a call. Default: 300,000. */
  readonly patienceMs?: number;
}

/** `name`: what the user calls it. A store of this package tells its failures itself, and is given back as it is. */
export function guardedStore(
  store: MediaStore,
  name: string,
  { patienceMs = PATIENCE_MS }: GuardOptions = {},
): MediaStore {
  const isOwn = [DirectoryMediaStore, MemoryMediaStore, S3MediaStore].some((own) => store instanceof own);
  return isOwn ? store : guarded(store, new Guard(name, patienceMs));
}

function guarded(store: MediaStore, guard: Guard): MediaStore {
  const { putStream, getStream, list, delete: remove, deleteOlder, leftovers } = store;
  return {
    put: (key, bytes, options) => guard.call(`take ${key}`, options, (own) => store.put(key, bytes, own)),
    get: (key, options) =>
      guard.call(`give ${key}`, options, async (own) => guard.bytes(await store.get(key, own))),
    ...(putStream && {
      putStream: (key, source, options) =>
        guard.call(`take ${key}`, options, (own, limit) =>
          putStream.call(store, key, watched(source, limit), { ...options, ...own }),
        ),
    }),
    ...(getStream && {
      getStream: (key, options) =>
        guard.call(`give ${key}`, options, async (own) => {
          const chunks = guard.stream(await getStream.call(store, key, own));
          return chunks && guard.chunks(`give ${key}`, options, chunks);
        }),
    }),
    ...(list && {
      list: (options) => guard.each("list its blobs", options, () => list.call(store, options)),
    }),
    ...(remove && {
      delete: (key, options) => guard.call(`delete ${key}`, options, (own) => remove.call(store, key, own)),
    }),
    ...(deleteOlder && {
      deleteOlder: (key, before, options) =>
        guard.call(`delete ${key}`, options, (own) => deleteOlder.call(store, key, before, own)),
    }),
    ...(leftovers && {
      leftovers: (before, options) =>
        guard.call("list what was left", options, (own) =>
          leftovers.call(store, before, { ...options, ...own }),
        ),
    }),
  };
}

/** The store takes its time from chunk to chunk; that of the source is its own. */
async function* watched(
  source: AsyncIterable<Uint8Array>,
  limit: IdleLimit,
): AsyncGenerator<Uint8Array, void, undefined> {
  limit.pause();
  for await (const chunk of source) {
    limit.touch();
    yield chunk;
    limit.pause();
  }
  limit.touch();
}

class Guard {
  readonly #name: string;
  readonly #patienceMs: number;

  constructor(name: string, patienceMs: number) {
    this.#name = name;
    this.#patienceMs = patienceMs;
  }

  /** Ends at the caller's abort, and when nothing has come for too long, also where the store heeds no signal. */
  async call<T>(
    doing: string,
    options: MediaStoreCallOptions | undefined,
    run: (options: { readonly signal: AbortSignal }, limit: IdleLimit) => Promise<T>,
  ): Promise<T> {
    using limit = new IdleLimit(this.#patienceMs, options?.signal);
    const { signal } = limit;
    try {
      return await withAbort(run({ signal }, limit), signal);
    } catch (error) {
      throw this.#failure(doing, options, limit.isExpired ? this.#silence() : error);
    }
  }

  async *each<T>(
    doing: string,
    options: MediaStoreCallOptions | undefined,
    open: () => AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined> {
    const iterator = await this.call(doing, options, async () => open()[Symbol.asyncIterator]());
    let hasFailed = false;
    try {
      for (;;) {
        const next = await this.call(doing, options, () => iterator.next());
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      const ended = iterator.return?.();
      // One that has gone silent would not end either.
      if (hasFailed) ended?.catch(() => undefined);
      else await ended;
    }
  }

  #silence(): Error {
    return new Error(`nothing has come of it for ${this.#patienceMs / 1000} s`);
  }

  async *chunks(
    doing: string,
    options: MediaStoreCallOptions | undefined,
    chunks: AsyncIterable<unknown>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.each(doing, options, () => chunks)) {
      if (!(chunk instanceof Uint8Array)) throw this.#failure(doing, options, nonsense(chunk));
      yield chunk;
    }
  }

  bytes(value: unknown): Uint8Array | undefined {
    if (value === undefined || value === null) return undefined;
    if (value instanceof Uint8Array) return value;
    throw nonsense(value);
  }

  stream(value: unknown): AsyncIterable<unknown> | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "object" && Symbol.asyncIterator in value) return value as AsyncIterable<unknown>;
    throw nonsense(value);
  }

  #failure(doing: string, options: MediaStoreCallOptions | undefined, error: unknown): unknown {
    if (isHoldfastError(error) || options?.signal?.aborted === true) return error;
    const reason = error instanceof Error ? error.message : String(error);
    const said = `The media store ${this.#name} cannot ${doing}: ${reason.replace(/\.$/, "")}. Mend the store, or name another.`;
    return new MediaStoreUnavailableError(this.#name, cleanText(said, MESSAGE_BYTES), { cause: error });
  }
}

function nonsense(value: unknown): TypeError {
  const what = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  return new TypeError(`it gives ${what} where bytes were expected`);
}
