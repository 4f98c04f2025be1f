/** A media store in a folder: one file a blob, named by its key. Any number of processes may share it. */
import type { BigIntStats, Dir, Stats } from "node:fs";
import { type FileHandle, lstat, opendir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { assertMediaKey, isMediaKey } from "../core/media/marker.js";
import type {
  LeftoverOptions,
  MediaStore,
  MediaStoreCallOptions,
  PutStreamOptions,
  StoredBlob,
  StoredLeftover,
} from "../core/media/media-store.js";
import { BlobDamagedError } from "./blob-damaged-error.js";
import { assertDigest, verifiedStream } from "./digest.js";
import { GuardedSource } from "./guarded-source.js";
import { MediaStoreUnavailableError } from "./media-store-unavailable-error.js";
import { isAbsent, openRegularFile, readChunks, readWhole } from "./read-regular-file.js";
import { VerifiedBlobs } from "./verified-blobs.js";
import {
  type FileData,
  isTemporaryName,
  reasonOf,
  temporaryName,
  writeFileAtomically,
} from "./write-file-atomically.js";

/** Only its owner may read a conversation's attachments. */
const MODES = { mode: 0o600, folderMode: 0o700, replaceLink: true } as const;

/** Stores are opened anew for each folder that is named: what one has seen, all know. */
const verified = new VerifiedBlobs();

export class DirectoryMediaStore implements MediaStore {
  /** Absolute. Created by the first `put`. */
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /**
   * Writes the blob whole or not at all. A blob that is there stays, unless it is damaged or a link: it is read once where this
   * process has not seen it whole.
   *
   * @throws UsageError for a malformed key, BlobDamagedError for bytes of another digest or for what is no file in the blob's
   * place, FileNotWrittenError.
   */
  async put(key: string, bytes: Uint8Array, options: MediaStoreCallOptions = {}): Promise<void> {
    const file = this.#fileOf(key, options);
    if (await this.#isThere(key, bytes.byteLength, options)) return;
    await assertDigest(key, bytes, "Put it under the key of its own digest.");
    options.signal?.throwIfAborted();
    await this.#write(file, bytes);
  }

  /** As `put`, one chunk in memory at a time. @throws what `put` throws, and what the source throws. */
  async putStream(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options: PutStreamOptions = {},
  ): Promise<void> {
    const file = this.#fileOf(key, options);
    if (await this.#isThere(key, options.sizeBytes, options)) return;
    const advice = "Put it under the key of its own digest.";
    const guarded = new GuardedSource(verifiedStream(key, source, advice), options.signal);
    await this.#write(file, guarded.chunks()).catch((error: unknown) => {
      throw guarded.causeOf(error);
    });
  }

  /**
   * @throws UsageError for a malformed key, BlobDamagedError for a blob whose bytes have changed since,
   * MediaStoreUnavailableError where the folder cannot be read.
   */
  async get(key: string, options: MediaStoreCallOptions = {}): Promise<Uint8Array | undefined> {
    const blob = await this.#open(key, options);
    if (blob === undefined) return undefined;
    const bytes = await this.#whole(key, options);
    await assertDigest(key, bytes, blob.advice);
    return bytes;
  }

  /** As `get`. */
  async getStream(
    key: string,
    options: MediaStoreCallOptions = {},
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    return (await this.#open(key, options))?.chunks;
  }

  /** What is no blob is passed over: folders, links, files of other names. @throws MediaStoreUnavailableError. */
  async *list(options: MediaStoreCallOptions = {}): AsyncGenerator<StoredBlob, void, undefined> {
    options.signal?.throwIfAborted();
    const folder = await this.#openFolder();
    if (folder === undefined) return;
    for await (const entry of folder) {
      options.signal?.throwIfAborted();
      if (!entry.isFile() || !isMediaKey(entry.name)) continue;
      const stats = await this.#lookAt(join(this.path, entry.name));
      if (stats === undefined) continue;
      yield { key: entry.name, size_bytes: stats.size, modified_at: stats.mtime.toISOString() };
    }
  }

  /** Temporary files of writes that were killed. @throws MediaStoreUnavailableError. */
  async leftovers(
    writtenBefore: Date,
    { delete: deletes = false, signal }: LeftoverOptions = {},
  ): Promise<readonly StoredLeftover[]> {
    const found: StoredLeftover[] = [];
    for await (const { name } of (await this.#openFolder()) ?? []) {
      signal?.throwIfAborted();
      const file = join(this.path, name);
      const there = isTemporaryName(name) ? await this.#lookAt(file) : undefined;
      if (there === undefined || !there.isFile() || there.mtime >= writtenBefore) continue;
      if (deletes)
        await rm(file, { force: true }).catch((error: unknown) => {
          throw this.#unavailable("delete", file, error);
        });
      found.push({ name, size_bytes: there.size, modified_at: there.mtime.toISOString() });
    }
    return found;
  }

  /** @throws UsageError for a malformed key, BlobDamagedError for what is no file, MediaStoreUnavailableError. */
  async delete(key: string, options: MediaStoreCallOptions = {}): Promise<void> {
    const file = this.#fileOf(key, options);
    const there = await this.#lookAt(file);
    if (there === undefined) return;
    if (!there.isFile()) throw notAFile(file, key);
    await rm(file, { force: true }).catch((error: unknown) => {
      throw this.#unavailable("delete", file, error);
    });
  }

  /**
   * Safe beside a `put` of the same blob: that one has renewed it, and it stays, or finds it gone, and writes it anew.
   *
   * @throws what `delete` throws.
   */
  async deleteOlder(key: string, putBefore: Date, options: MediaStoreCallOptions = {}): Promise<boolean> {
    const file = this.#fileOf(key, options);
    const there = await this.#lookAt(file);
    if (there === undefined) return true;
    if (!there.isFile()) throw notAFile(file, key);
    if (there.mtime >= putBefore) return false;
    try {
      return await deleteAside(file, putBefore);
    } catch (error) {
      if (isAbsent(error)) return true;
      throw this.#unavailable("delete", file, error);
    }
  }

  #fileOf(key: string, { signal }: MediaStoreCallOptions): string {
    assertMediaKey(key);
    signal?.throwIfAborted();
    return join(this.path, key);
  }

  async #write(file: string, data: FileData): Promise<void> {
    await writeFileAtomically(file, data, MODES);
    verified.add(file, await versionOf(file));
  }

  /** True for a blob of that size with the bytes of its key, which is then as young as one just written. */
  async #isThere(
    key: string,
    sizeBytes: number | undefined,
    options: MediaStoreCallOptions,
  ): Promise<boolean> {
    const file = join(this.path, key);
    const there = await this.#lookAt(file);
    if (there === undefined || there.isSymbolicLink()) return false;
    if (!there.isFile()) throw notAFile(file, key);
    if (there.size !== sizeBytes) return false;
    const isKnown = verified.has(file, await versionOf(file));
    const now = new Date();
    // Young before it is read, so that garbage collection does not take it meanwhile.
    const isRenewed = await utimes(file, now, now).then(
      () => true,
      // Another owner's file, or a read-only folder: garbage collection cannot take it either. But it may just have taken it.
      (error: unknown) => !isAbsent(error),
    );
    if (!isRenewed || !(isKnown || (await this.#isWhole(key, options)))) return false;
    verified.add(file, await versionOf(file));
    return true;
  }

  async #isWhole(key: string, options: MediaStoreCallOptions): Promise<boolean> {
    try {
      const blob = await this.#open(key, options);
      if (blob === undefined) return false;
      for await (const _ of blob.chunks) {
        // Reading it to its end checks the digest.
      }
      return true;
    } catch (error) {
      if (error instanceof BlobDamagedError) return false;
      if ((await this.#lookAt(join(this.path, key))) === undefined) return false;
      throw error;
    }
  }

  async #lookAt(file: string): Promise<Stats | undefined> {
    return lstat(file).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw this.#unavailable("read", file, error);
    });
  }

  /** Read into one buffer: chunks beside it would be as much again until they are collected. */
  async #whole(key: string, { signal }: MediaStoreCallOptions): Promise<Uint8Array> {
    const file = join(this.path, key);
    const handle = await this.#openFile(file, key);
    try {
      return await readWhole(handle, signal);
    } catch (error) {
      throw signal?.aborted === true ? error : this.#unavailable("read", file, error);
    } finally {
      await handle.close();
    }
  }

  async #openFile(file: string, key: string): Promise<FileHandle> {
    const handle = await openRegularFile(file, () => notAFile(file, key)).catch((error: unknown) => {
      throw this.#unavailable("read", file, error);
    });
    if (handle === undefined) throw this.#unavailable("read", file, new Error("it is gone"));
    return handle;
  }

  async *#chunksOf(
    file: string,
    key: string,
    { signal }: MediaStoreCallOptions,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const handle = await this.#openFile(file, key);
    try {
      yield* readChunks(handle, signal);
    } catch (error) {
      throw signal?.aborted === true ? error : this.#unavailable("read", file, error);
    } finally {
      await handle.close();
    }
  }

  async #open(
    key: string,
    options: MediaStoreCallOptions,
  ): Promise<{ readonly advice: string; readonly chunks: AsyncIterable<Uint8Array> } | undefined> {
    const file = this.#fileOf(key, options);
    const there = await this.#lookAt(file);
    if (there === undefined) return undefined;
    if (!there.isFile()) throw notAFile(file, key);
    const advice = `Delete ${file} and attach the file again.`;
    return {
      advice,
      chunks: verifiedStream(key, this.#chunksOf(file, key, options), advice),
    };
  }

  async #openFolder(): Promise<Dir | undefined> {
    return opendir(this.path).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw this.#unavailable("read", this.path, error);
    });
  }

  #unavailable(verb: string, file: string, error: unknown): Error {
    if (error instanceof BlobDamagedError) return error;
    return new MediaStoreUnavailableError(this.path, `Cannot ${verb} ${file}: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/** Any change of the bytes shows in it; undefined where there is nothing. */
async function versionOf(file: string): Promise<string | undefined> {
  const stats = await lstat(file, { bigint: true }).catch((): BigIntStats | undefined => undefined);
  return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/** Looked at where no `put` finds it any more: its age is then final. */
async function deleteAside(file: string, putBefore: Date): Promise<boolean> {
  const aside = join(dirname(file), temporaryName());
  await rename(file, aside);
  if ((await lstat(aside)).mtime < putBefore) {
    await rm(aside);
    return true;
  }
  await rename(aside, file);
  return false;
}

function notAFile(path: string, key: string): BlobDamagedError {
  return new BlobDamagedError(
    key,
    `Media blob ${path} is not a regular file. Delete it and attach the file again.`,
  );
}
