/** A media store in a folder: one file a blob, named by its key. Any number of processes may share it. */
import { constants, type Stats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { assertMediaKey } from "../core/media/marker.js";
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { assertDigest, BlobDamagedError } from "./blob-damaged-error.js";
import { writeFileAtomically } from "./write-file-atomically.js";

/** Only its owner may read a conversation's attachments. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** A link in the store could lead out of it, and a pipe would never end. Neither flag exists everywhere. */
const READ_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export class DirectoryMediaStore implements MediaStore {
  /** Absolute. Created by the first `put`. */
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /**
   * Writes the blob whole or not at all. A blob that is there stays, unless it has another size or is no file.
   *
   * @throws UsageError for a malformed key, BlobDamagedError for bytes of another digest, FileNotWrittenError.
   */
  async put(key: string, bytes: Uint8Array, options: MediaStoreCallOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const file = this.#fileOf(key);
    const there = await lstat(file).catch(absent);
    if (there?.isFile() === true && there.size === bytes.byteLength) return;
    await assertDigest(key, bytes, "Put it under the key of its own digest.");
    options.signal?.throwIfAborted();
    await writeFileAtomically(file, bytes, { mode: FILE_MODE, folderMode: FOLDER_MODE, replaceLink: true });
  }

  /** @throws UsageError for a malformed key, BlobDamagedError for a blob whose bytes have changed since. */
  async get(key: string, options: MediaStoreCallOptions = {}): Promise<Uint8Array | undefined> {
    options.signal?.throwIfAborted();
    const file = this.#fileOf(key);
    const bytes = await readRegularFile(file, key, options.signal);
    if (bytes === undefined) return undefined;
    await assertDigest(key, bytes, `Delete ${file} and attach the file again.`);
    return bytes;
  }

  #fileOf(key: string): string {
    assertMediaKey(key);
    return join(this.path, key);
  }
}

async function readRegularFile(
  path: string,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const file = await open(path, READ_FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    if (error.code === "ELOOP") throw notAFile(path, key);
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) throw notAFile(path, key);
    return await file.readFile({ ...(signal === undefined ? {} : { signal }) });
  } finally {
    await file.close();
  }
}

function notAFile(path: string, key: string): BlobDamagedError {
  return new BlobDamagedError(
    key,
    `Media blob ${path} is not a regular file. Delete it and attach the file again.`,
  );
}

function absent(error: NodeJS.ErrnoException): Stats | undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
