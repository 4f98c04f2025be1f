/** What can be attached, opened: bytes that can be read more than once, in pieces, without being held. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanText } from "../core/errors/clean-text.js";
import { UsageError } from "../core/errors/errors.js";
import type { ByteRange } from "../core/media/byte-reading.js";
import { streamOf } from "../media-stores/stream-from.js";

/** Loaded with the first file: most processes attach none. */
const fileTypes = () => import("file-type");

/** Bytes with a name, where the bytes alone would not say what they are. */
export interface NamedFile {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly mime_type?: string;
}

/** A path (resolved in the client's folder), a `file:` URL, bytes, a Blob, or bytes with a name. */
export type AttachedFile = string | URL | Uint8Array | Blob | NamedFile;

export interface FileSource {
  readonly name: string;
  readonly size: number;
  /** The caller's word for its type. */
  readonly declared: string | undefined;
  /** Its type where the content shows it. */
  detect(): Promise<string | undefined>;
  read(range: ByteRange): Promise<Uint8Array>;
  /** All of it, in chunks with memory of their own. @throws UsageError when the file has changed since it was opened. */
  chunks(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** The name of bytes that came without one. */
const UNNAMED = "attachment";

const CHUNK_BYTES: number = 1024 * 1024;
/** A pipe without a writer would never open. The flag does not exist everywhere. */
const READ_FLAGS: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** @throws UsageError naming the file that is missing, unreadable or no file, and for what cannot be attached at all. */
export async function openSource(file: AttachedFile, cwd: string): Promise<FileSource> {
  if (typeof file === "string") {
    const path = /^(file|https?):\/\//i.test(file) ? pathOf(file) : resolve(cwd, file);
    return openPath(path, file);
  }
  if (file instanceof URL) return openPath(pathOf(file.href), file.href);
  if (file instanceof Uint8Array) return bytesSource(UNNAMED, file, undefined);
  if (file instanceof Blob) return blobSource(file);
  if (typeof file === "object" && file !== null && typeof file.name === "string") {
    const bytes = typeof file.data === "string" ? new TextEncoder().encode(file.data) : file.data;
    if (bytes instanceof Uint8Array) return bytesSource(file.name, bytes, file.mime_type);
  }
  throw new UsageError("A file is a path, a file: URL, a Uint8Array, a Blob, or {name, data, mime_type?}.");
}

function bytesSource(name: string, bytes: Uint8Array, declared: string | undefined): FileSource {
  return {
    name,
    size: bytes.byteLength,
    declared,
    detect: async () => (await (await fileTypes()).fileTypeFromBuffer(bytes))?.mime,
    read: async ({ position, length }) => bytes.subarray(position, position + length),
    chunks: () => streamOf(bytes),
    close: async () => undefined,
  };
}

function blobSource(blob: Blob): FileSource {
  return {
    name: "name" in blob && typeof blob.name === "string" ? blob.name : UNNAMED,
    size: blob.size,
    declared: blob.type,
    detect: async () => (await (await fileTypes()).fileTypeFromBlob(blob))?.mime,
    read: async ({ position, length }) =>
      new Uint8Array(await blob.slice(position, position + length).arrayBuffer()),
    chunks: () => blob.stream(),
    close: async () => undefined,
  };
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new UsageError(`${url} is no file of this machine: fetch it first, or give the path of a file.`, {
      cause: error,
    });
  }
}

async function openPath(path: string, asked: string): Promise<FileSource> {
  const handle = await open(path, READ_FLAGS).catch((error: unknown) => {
    throw unreadable(asked, error);
  });
  try {
    const state = await stateOf(handle);
    if (!state.isFile) throw noFile(asked, state.isFolder);
    return pathSource({ path, asked, handle, state });
  } catch (error) {
    await handle.close();
    throw error instanceof UsageError ? error : unreadable(asked, error);
  }
}

interface OpenedFile {
  readonly path: string;
  /** As the caller wrote it. */
  readonly asked: string;
  readonly handle: FileHandle;
  readonly state: FileState;
}

function pathSource(file: OpenedFile): FileSource {
  const { path, asked, handle, state } = file;
  return {
    name: basename(path),
    size: state.size,
    declared: undefined,
    detect: async () => {
      const { fileTypeFromFile } = await fileTypes();
      return fileTypeFromFile(path).then(
        (found) => found?.mime,
        (error: unknown) => {
          throw unreadable(asked, error);
        },
      );
    },
    read: (range) => readRange(file, range),
    chunks: () => chunksOf(file),
    close: () => handle.close(),
  };
}

async function* chunksOf(file: OpenedFile): AsyncGenerator<Uint8Array, void, undefined> {
  const { size } = file.state;
  for (let position = 0; position < size; ) {
    const chunk = await readRange(file, { position, length: Math.min(CHUNK_BYTES, size - position) });
    if (chunk.byteLength === 0) throw changed(file.asked);
    // The last one is held back until the file is known to be as it was.
    if (position + chunk.byteLength >= size) await assertUnchanged(file);
    yield chunk;
    position += chunk.byteLength;
  }
}

async function readRange(
  { handle, asked }: OpenedFile,
  { position, length }: ByteRange,
): Promise<Uint8Array> {
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(asked, error);
  }
}

interface FileState {
  readonly size: number;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  /** Nanoseconds. */
  readonly modified: bigint;
}

async function stateOf(handle: FileHandle): Promise<FileState> {
  const stats = await handle.stat({ bigint: true });
  return {
    size: Number(stats.size),
    isFile: stats.isFile(),
    isFolder: stats.isDirectory(),
    modified: stats.mtimeNs,
  };
}

async function assertUnchanged({ handle, asked, state }: OpenedFile): Promise<void> {
  const now = await stateOf(handle).catch((error: unknown) => {
    throw unreadable(asked, error);
  });
  if (now.size !== state.size || now.modified !== state.modified) throw changed(asked);
}

export function changed(asked: string): UsageError {
  return new UsageError(
    `The file ${asked} changed while it was read: attach it once its writer has finished. Nothing was sent.`,
  );
}

function noFile(asked: string, isFolder = false): UsageError {
  const what = isFolder
    ? "a folder: attach the files in it, one by one"
    : "not a regular file: attach a file";
  return new UsageError(`${JSON.stringify(asked)} is ${what}.`);
}

/** Some systems refuse to open a folder or a socket at all. */
const MESSAGE_NAME_BYTES = 1_000;
const NO_FILE: ReadonlySet<string> = new Set(["EISDIR", "ENXIO", "EOPNOTSUPP", "ENODEV"]);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read",
  EPERM: "may not be read",
  // Node's word for a path with a NUL.
  ERR_INVALID_ARG_VALUE: "has a NUL in its path",
};

function unreadable(asked: string, error: unknown): UsageError {
  const { code = "unknown", path } = error as NodeJS.ErrnoException;
  if (NO_FILE.has(code)) return noFile(asked);
  const found = path === undefined || path === asked ? "" : ` ${path}`;
  const what = REASONS[code] ?? `cannot be read (${code})`;
  return new UsageError(
    `The file ${cleanText(asked, MESSAGE_NAME_BYTES)} ${what}: check the path${found} and its permissions. Nothing was sent.`,
    {
      cause: error,
    },
  );
}
