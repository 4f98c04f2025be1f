/** What a save is about to write: how large the file gets and which media are in it. Nothing is serialised for it. */
import type { Dialect } from "../dialects/dialect.js";
import { dialectFor } from "../dialects/index.js";
import { jsonByteLength } from "../json-byte-length.js";
import { atticOnlyKeys } from "../media/attic-media.js";
import { base64Length, decodedLength } from "../media/base64.js";
import { tableWithout } from "../media/inline-media.js";
import { digestOfKey, keyOf } from "../media/marker.js";
import { type MediaPlace, mediaPlaces } from "../media/media-place.js";
import type { Envelope, MediaEntry, PersistenceReport } from "./envelope.js";

export interface PersistenceReportOptions {
  /** The policy of the save. The other policies need a media store to count with and are not here yet. */
  readonly media?: "inline";
  /** Of the envelope's provider; looked up without it. */
  readonly dialect?: Pick<Dialect, "mapMedia">;
}

/** A checksum is not known before the content is serialised, but its length is. */
const ANY_CHECKSUM = "0".repeat(64);
const NEWLINE = 1;
/** `,"data":""` of an entry that gets its bytes. */
const DATA_KEY_BYTES = 10;

/**
 * The report on an envelope as it would be written. Where its media are markers, as in a conversation's state, they are
 * counted as the base64 that the save puts in their place; a marker that the media table does not know stays a marker.
 */
export function persistenceReport(
  envelope: Envelope,
  { media: media_policy = "inline", dialect = dialectFor(envelope.provider) }: PersistenceReportOptions = {},
): PersistenceReport {
  const places = mediaPlaces(dialect, envelope.messages);
  const sizeOf = (key: string): number | undefined => envelope.media[digestOfKey(key)]?.size_bytes;
  const keys = places.flatMap(({ data }) => keyOf(data) ?? []);
  const media = tableWithout(envelope.media, keys, (key) => sizeOf(key) !== undefined);
  const written = jsonByteLength({ ...envelope, media_policy, media, checksum: ANY_CHECKSUM }) + NEWLINE;
  return {
    size_bytes: places.reduce(
      (sum, place) => sum + growth(place, envelope.media),
      written + atticBytes(envelope),
    ),
    message_count: envelope.messages.length,
    media_count: places.length,
    media: places.map((place) => ({
      message_index: place.message_index,
      kind: place.kind,
      mime_type: place.mime_type,
      size_bytes: sizeBytes(place, envelope.media),
    })),
  };
}

/** What the media table carries for the attic: the bytes that stand in no message. */
function atticBytes(envelope: Envelope): number {
  const entries = atticOnlyKeys(envelope).flatMap((key) => envelope.media[digestOfKey(key)] ?? []);
  const added = entries.filter(({ data }) => data === undefined);
  return added.reduce((sum, { size_bytes }) => sum + DATA_KEY_BYTES + base64Length(size_bytes), 0);
}

/** By how many bytes a place grows when its marker becomes what it stands for. */
function growth(place: MediaPlace, media: Readonly<Record<string, MediaEntry>>): number {
  const entry = entryOf(place, media);
  if (entry === undefined) return 0;
  // Base64 and markers have no character that JSON escapes; plain text may have many.
  const inlined = place.as_text ? (entry.json_bytes ?? entry.size_bytes) : base64Length(entry.size_bytes);
  return inlined - place.data.length;
}

function sizeBytes(place: MediaPlace, media: Readonly<Record<string, MediaEntry>>): number {
  if (keyOf(place.data) === undefined) return decodedLength(place.data);
  return entryOf(place, media)?.size_bytes ?? 0;
}

function entryOf({ data }: MediaPlace, media: Readonly<Record<string, MediaEntry>>): MediaEntry | undefined {
  const key = keyOf(data);
  return key === undefined ? undefined : media[digestOfKey(key)];
}
