/** Files that the service keeps: markers in the state, addresses in a file, with the media table between the two. */
import type { FileSubstitute } from "../dialects/dialect.js";
import { dialectFor } from "../dialects/index.js";
import type { Envelope, MediaEntry } from "../envelope/envelope.js";
import { digestOfKey, markerFor, mediaKey } from "./marker.js";

type History = Pick<Envelope, "provider" | "messages" | "media">;

/**
 * State to file: `fileData` with the current address in the place of each marker whose entry has one. The table stays as
 * it is. The very same envelope where its provider keeps no files.
 */
export function toFileData<T extends History>(envelope: T): T {
  return mapped(envelope, ({ key }) => {
    if (key === undefined) return undefined;
    const entry = envelope.media[digestOfKey(key)];
    const own = entry?.ref === undefined || entry.ref === key;
    return own && entry?.uri !== undefined ? { uri: entry.uri } : undefined;
  });
}

/**
 * File to state: a marker in the place of each `fileData` whose address the table knows together with bytes or a
 * reference. One whose bytes nobody has stays, and is used for as long as it lives.
 */
export function fromFileData<T extends History>(envelope: T): T {
  const known = new Map(
    Object.entries(envelope.media).flatMap(([sha256, entry]) =>
      entry.uri === undefined || (entry.data === undefined && entry.ref === undefined)
        ? []
        : [[entry.uri, markerOf(sha256, entry)] as const],
    ),
  );
  if (known.size === 0) return envelope;
  return mapped(envelope, ({ uri }) => (uri === undefined ? undefined : known.get(uri)));
}

function markerOf(sha256: string, { ref, mime_type }: MediaEntry): FileSubstitute {
  return { marker: markerFor(ref ?? mediaKey(sha256, mime_type)), mime_type };
}

function mapped<T extends History>(
  envelope: T,
  substitute: (slot: { readonly key?: string; readonly uri?: string }) => FileSubstitute | undefined,
): T {
  const { mapFiles } = dialectFor(envelope.provider);
  if (mapFiles === undefined) return envelope;
  return { ...envelope, messages: envelope.messages.map((message) => mapFiles(message, substitute)) };
}
