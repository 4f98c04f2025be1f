/** Attached files on their way in: looked at, put into the working store, and from then on a marker. A file is never held whole. */
import { FILES_LIMIT, NAME_LIMIT } from "../core/conversation/admit.js";
import {
  type AttachmentFacts,
  attachmentRefusal,
  type FileReader,
} from "../core/dialects/check-attachment.js";
import type { FileMarker } from "../core/envelope/envelope.js";
import { cleanText } from "../core/errors/clean-text.js";
import { HoldfastError, TurnRefusedError, UsageError } from "../core/errors/errors.js";
import { MOST_FILE_BYTES } from "../core/media/limits.js";
import { markerFor, mediaKey } from "../core/media/marker.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { MediaStoreUnavailableError } from "../media-stores/media-store-unavailable-error.js";
import { putFrom } from "../media-stores/put-from.js";
import type { ClientContext } from "./client-context.js";
import { type AttachedFile, changed, type FileSource, openSource } from "./file-source.js";
import { digestOf, type IdentifiedFile, identifyFile } from "./identify-file.js";

export type { AttachedFile, NamedFile } from "./file-source.js";

/**
 * The markers of the files, whose bytes are in the store when this resolves. An unchanged marker is passed through, so
 * that a turn can be sent again. Every file is looked at before the first one is stored. With a `reader` what that model
 * does not take is refused as well.
 *
 * @throws UsageError for too many, and naming the file that is missing, unreadable, empty, damaged or no file; TurnRefusedError when it is too
 * large or not taken; MediaStoreUnavailableError and what else the store throws.
 */
export async function attachFiles(
  context: Pick<ClientContext, "mediaStore" | "cwd">,
  files: readonly (AttachedFile | FileMarker)[],
  reader?: FileReader,
): Promise<readonly FileMarker[]> {
  assertCount(files.length);
  const identified: IdentifiedFile[] = [];
  for (const file of files) {
    if (isMarkerEntry(file)) assertTaken(file, reader);
    else identified.push(await inspect(file, context.cwd, reader));
  }
  const markers: FileMarker[] = [];
  let next = 0;
  for (const file of files) {
    const known = isMarkerEntry(file) ? undefined : identified[next++];
    markers.push(
      known === undefined ? (file as FileMarker) : await store(context, file as AttachedFile, known),
    );
  }
  return markers;
}

/** Whether the files can be attached for that reader; nothing is stored. @throws what `attachFiles` throws. */
export async function inspectFiles(
  files: readonly AttachedFile[],
  { cwd, reader }: { readonly cwd: string; readonly reader?: FileReader | undefined },
): Promise<void> {
  assertCount(files.length);
  for (const file of files) await inspect(file, cwd, reader);
}

function assertCount(count: number): void {
  if (count <= FILES_LIMIT) return;
  throw new UsageError(
    `The message has ${count} files: ${FILES_LIMIT} at most go with one. Attach fewer, or send them with several messages.`,
  );
}

/** For callers without types: the letters of one path are no files. @throws UsageError for what is no list. */
export function fileList(files: readonly AttachedFile[] | undefined): readonly AttachedFile[] {
  if (files === undefined || Array.isArray(files)) return files ?? [];
  throw new UsageError('`files` is a list, also for one file: files: ["contract.pdf"].');
}

function isMarkerEntry(file: AttachedFile | FileMarker): file is FileMarker {
  return typeof file === "object" && file !== null && "marker" in file && typeof file.marker === "string";
}

async function inspect(
  file: AttachedFile,
  cwd: string,
  reader: FileReader | undefined,
): Promise<IdentifiedFile> {
  const source = await openSource(file, cwd);
  try {
    assertName(source);
    assertSize(source);
    const identified = await identifyFile(source);
    assertTaken(identified, reader);
    return identified;
  } finally {
    await source.close();
  }
}

function assertTaken(file: AttachmentFacts, reader: FileReader | undefined): void {
  const refusal = reader === undefined ? undefined : attachmentRefusal(file, reader);
  if (refusal !== undefined) throw new TurnRefusedError(refusal.error, refusal.reason);
}

function assertName({ name }: FileSource): void {
  if (name.length <= NAME_LIMIT) return;
  throw new UsageError(
    `The name of the file ${JSON.stringify(cleanText(name, 60))} is too long: it has ${name.length} characters, and ${NAME_LIMIT} is the most. Give it a shorter one. Nothing was sent.`,
  );
}

function assertSize({ name, size }: FileSource): void {
  if (size === 0) throw new UsageError(`${name} is empty: attach a file with content.`);
  if (size <= MOST_FILE_BYTES) return;
  throw new TurnRefusedError(
    `${name} is ${Math.round(size / 1_000_000)} MB: no provider takes more than ${MOST_FILE_BYTES / 1_000_000} MB. Attach a smaller file.`,
    "too_large",
  );
}

/** Read once more rather than held: that these are the bytes that were looked at is for their digest to say. */
async function store(
  { mediaStore, cwd }: Pick<ClientContext, "mediaStore" | "cwd">,
  file: AttachedFile,
  { name, mime_type, size_bytes, sha256, json_bytes }: IdentifiedFile,
): Promise<FileMarker> {
  const key = mediaKey(sha256, mime_type);
  const source = await openSource(file, cwd);
  try {
    if (source.size !== size_bytes) throw changed(name);
    await putFrom(mediaStore, key, source.chunks(), { sizeBytes: size_bytes });
  } catch (error) {
    if (error instanceof BlobDamagedError && (await digestOf(source)) !== sha256) throw changed(name);
    throw error instanceof HoldfastError ? error : notStored(name, error);
  } finally {
    await source.close();
  }
  const text = json_bytes === undefined ? {} : { json_bytes };
  return { marker: markerFor(key), mime_type, size_bytes, name, ...text };
}

/** A store of the user's own may throw anything. */
function notStored(name: string, error: unknown): MediaStoreUnavailableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new MediaStoreUnavailableError(
    "the working store",
    cleanText(
      `The working media store did not take ${name}: ${reason.replace(/\.$/, "")}. Nothing was sent.`,
      2_048,
    ),
    { cause: error },
  );
}
