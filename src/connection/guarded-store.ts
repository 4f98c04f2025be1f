/** A media store of the user's own, whose failures are told in one line that names it. */
import { cleanText } from "../core/errors/clean-text.js";
import { isHoldfastError } from "../core/errors/errors.js";
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { DirectoryMediaStore } from "../media-stores/directory-media-store.js";
import { MediaStoreUnavailableError } from "../media-stores/media-store-unavailable-error.js";
import { MemoryMediaStore } from "../media-stores/memory-media-store.js";
import { S3MediaStore } from "../media-stores/s3-media-store.js";

const MESSAGE_BYTES = 2_048;

/** `name`: what the user calls it. A store of this package tells its failures itself, and is given back as it is. */
export function guardedStore(store: MediaStore, name: string): MediaStore {
  const isOwn = [DirectoryMediaStore, MemoryMediaStore, S3MediaStore].some((own) => store instanceof own);
  return isOwn ? store : guarded(store, new Guard(name));
}

function guarded(store: MediaStore, guard: Guard): MediaStore {
  const { putStream, getStream, list, delete: remove, deleteOlder, leftovers } = store;
  return {
    put: (key, bytes, options) => guard.call(`take ${key}`, options, () => store.put(key, bytes, options)),
    get: (key, options) =>
      guard.call(`give ${key}`, options, async () => guard.bytes(await store.get(key, options))),
    ...(putStream && {
      putStream: (key, source, options) =>
        guard.call(`take ${key}`, options, () => putStream.call(store, key, source, options)),
    }),
    ...(getStream && {
      getStream: (key, options) =>
        guard.call(`give ${key}`, options, async () => {
          const chunks = guard.stream(await getStream.call(store, key, options));
          return chunks && guard.chunks(`give ${key}`, options, chunks);
        }),
    }),
    ...(list && {
      list: (options) => guard.each("list its blobs", options, () => list.call(store, options)),
    }),
    ...(remove && {
      delete: (key, options) => guard.call(`delete ${key}`, options, () => remove.call(store, key, options)),
    }),
    ...(deleteOlder && {
      deleteOlder: (key, before, options) =>
        guard.call(`delete ${key}`, options, () => deleteOlder.call(store, key, before, options)),
    }),
    ...(leftovers && {
      leftovers: (before, options) =>
        guard.call("list what was left", options, () => leftovers.call(store, before, options)),
    }),
  };
}

class Guard {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async call<T>(
    doing: string,
    options: MediaStoreCallOptions | undefined,
    run: () => Promise<T>,
  ): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw this.#failure(doing, options, error);
    }
  }

  async *each<T>(
    doing: string,
    options: MediaStoreCallOptions | undefined,
    open: () => AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined> {
    const iterator = await this.call(doing, options, async () => open()[Symbol.asyncIterator]());
    try {
      for (;;) {
        const next = await this.call(doing, options, () => iterator.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
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
