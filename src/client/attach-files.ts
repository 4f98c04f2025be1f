/** Attached files on their way in: read, hashed, put into the working store, and from then on a marker. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fileTypeFromBuffer } from "file-type";
import type { FileMarker } from "../core/envelope/envelope.js";
import { TurnRefusedError, UsageError } from "../core/errors/errors.js";
import { jsonTextByteLength } from "../core/json-byte-length.js";
import { markerFor, mediaKey } from "../core/media/marker.js";
import { bareMimeType, mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../core/media/mime.js";
import type { ClientContext } from "./client-context.js";

/** Bytes with a name, where the bytes alone would not say what they are. */
export interface NamedFile {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly mime_type?: string;
}

/** A path (resolved in the client's folder), a `file:` URL, bytes, a Blob, or bytes with a name. */
export type AttachedFile = string | URL | Uint8Array | Blob | NamedFile;

const MIME_TYPE = /^[a-z0-9][\w.+-]*\/[\w.+-]+$/;

/** The name of bytes that came without one. */
const UNNAMED = "attachment";

/** No provider takes a request above this. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * The markers of the files, whose bytes are in the store when this resolves. An unchanged marker is passed through, so
 * that a turn can be sent again.
 *
 * @throws UsageError naming the file that is missing, unreadable, empty or no file; TurnRefusedError when it is too large.
 */
export async function attachFiles(
  context: Pick<ClientContext, "mediaStore" | "cwd">,
  files: readonly (AttachedFile | FileMarker)[],
): Promise<readonly FileMarker[]> {
  const markers: FileMarker[] = [];
  for (const file of files) {
    if (isMarkerEntry(file)) markers.push(file);
    else markers.push(await store(context, await load(file, context.cwd)));
  }
  return markers;
}

/** For callers without types: the letters of one path are no files. @throws UsageError for what is no list. */
export function fileList(files: readonly AttachedFile[] | undefined): readonly AttachedFile[] {
  if (files === undefined || Array.isArray(files)) return files ?? [];
  throw new UsageError('`files` is a list, also for one file: files: ["contract.pdf"].');
}

function isMarkerEntry(file: AttachedFile | FileMarker): file is FileMarker {
  return typeof file === "object" && file !== null && "marker" in file && typeof file.marker === "string";
}

interface LoadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly declared: string | undefined;
}

async function load(file: AttachedFile, cwd: string): Promise<LoadedFile> {
  if (typeof file === "string") {
    const path = /^(file|https?):\/\//i.test(file) ? pathOf(file) : resolve(cwd, file);
    return { ...(await readNamed(path, file)), declared: undefined };
  }
  if (file instanceof URL) return { ...(await readNamed(pathOf(file.href), file.href)), declared: undefined };
  if (file instanceof Uint8Array) return { name: UNNAMED, bytes: file, declared: undefined };
  if (file instanceof Blob) {
    const name = "name" in file && typeof file.name === "string" ? file.name : UNNAMED;
    return { name, bytes: new Uint8Array(await file.arrayBuffer()), declared: file.type };
  }
  if (typeof file === "object" && file !== null && typeof file.name === "string") {
    const bytes = typeof file.data === "string" ? new TextEncoder().encode(file.data) : file.data;
    if (bytes instanceof Uint8Array) return { name: file.name, bytes, declared: file.mime_type };
  }
  throw new UsageError("A file is a path, a file: URL, a Uint8Array, a Blob, or {name, data, mime_type?}.");
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

async function readNamed(
  path: string,
  asked: string,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  try {
    const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) throw new UsageError(`${JSON.stringify(asked)} is not a regular file: attach a file.`);
    assertSize(asked, size);
    return { name: basename(path), bytes: await readFile(path) };
  } catch (error) {
    if (error instanceof UsageError || error instanceof TurnRefusedError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    const what =
      code === "ENOENT"
        ? "does not exist"
        : code === "EACCES"
          ? "may not be read"
          : `cannot be read (${code ?? "unknown"})`;
    throw new UsageError(`The file ${asked} ${what}: check the path and its permissions. Nothing was sent.`, {
      cause: error,
    });
  }
}

function assertSize(name: string, size: number): void {
  if (size === 0) throw new UsageError(`${name} is empty: attach a file with content.`);
  if (size <= MOST_BYTES) return;
  throw new TurnRefusedError(
    `${name} is ${Math.round(size / 1024 / 1024)} MiB: no provider takes more than ${MOST_BYTES / 1024 / 1024} MiB. Attach a smaller file.`,
    "too_large",
  );
}

async function store(
  { mediaStore }: Pick<ClientContext, "mediaStore">,
  { name, bytes, declared }: LoadedFile,
): Promise<FileMarker> {
  assertSize(name, bytes.byteLength);
  const mimeType = await detectMimeType(name, bytes, declared);
  const key = mediaKey(createHash("sha256").update(bytes).digest("hex"), mimeType);
  await mediaStore.put(key, bytes);
  return {
    marker: markerFor(key),
    mime_type: mimeType,
    size_bytes: bytes.byteLength,
    name,
    ...(isText(bytes) ? { json_bytes: jsonTextByteLength(bytes) } : {}),
  };
}

/** From the content where it shows; the name and the caller's word count only for text, which has no signature. */
async function detectMimeType(
  name: string,
  bytes: Uint8Array,
  declared: string | undefined,
): Promise<string> {
  const detected = await fileTypeFromBuffer(bytes);
  if (detected !== undefined) return bareMimeType(detected.mime);
  const told = typeof declared === "string" && MIME_TYPE.test(bareMimeType(declared)) ? declared : undefined;
  if (!isText(bytes)) return told === undefined ? UNKNOWN_MIME_TYPE : bareMimeType(told);
  const byName = mimeTypeOfExtension(name.split(".").at(-1)?.toLowerCase() ?? "");
  const candidate = told === undefined ? byName : bareMimeType(told);
  return candidate !== undefined && isTextType(candidate) ? candidate : "text/plain";
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\u0000");
  } catch {
    return false;
  }
}

function isTextType(mimeType: string): boolean {
  return mimeType.startsWith("text/") || mimeType === "application/json" || mimeType === "image/svg+xml";
}
