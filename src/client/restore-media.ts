/** The media of a restored envelope: their bytes into the working store, and what cannot be used out of the history, or reported. */

import { impossibleAsText } from "../connection/impossible-as-text.js";
import { judgeMedia, type Verdict, verdictText } from "../connection/judge-media.js";
import { storeMedia } from "../connection/store-media.js";
import type { AttachmentReader } from "../core/dialects/attachment-types.js";
import { dialectFor } from "../core/dialects/index.js";
import { mapPreserving } from "../core/dialects/map-preserving.js";
import type { Envelope, MediaEntry, MediaReportEntry } from "../core/envelope/envelope.js";
import { fromFileData } from "../core/media/google-files.js";
import { digestOfKey, keyOf, mediaKey } from "../core/media/marker.js";
import { type MediaPlace, mediaPlaces } from "../core/media/media-place.js";
import { withTableFacts } from "../core/media/media-report.js";
import type { MediaStore } from "../core/media/media-store.js";
import { mediaSize, replaceByText } from "../core/media/media-text.js";
import { storedKeys } from "../core/media/plan-media.js";
import { reportedDigest } from "../core/media/reported-digest.js";
import { type BlobFacts, type Bringing, bringMedia, headOf } from "./bring-media.js";

export interface RestoreMedia extends Bringing {
  /** Who continues the conversation. */
  readonly reader: AttachmentReader;
  readonly preserve: boolean;
  /** Why missing bytes could not be there, where that is known; goes before the key. */
  readonly whereMissing?: string | undefined;
}

/**
 * The envelope as a state has it: every medium a marker, its bytes in the working store where anyone has them, an entry in
 * the media table for each. A provider's file whose bytes nobody has keeps its address.
 */
export async function restoredMedia(
  envelope: Envelope,
  { working, sources, damaged }: Bringing,
): Promise<Envelope> {
  const stored = await storeMedia(envelope, working);
  const fresh = new Set(storedKeys(stored));
  for (const key of [...storedKeys(envelope), ...Object.entries(envelope.media).flatMap(fileKey)])
    fresh.delete(key);
  const asked = [...storedKeys(stored), ...Object.entries(stored.media).flatMap(fileKey)];
  const found = await bringMedia(
    asked.filter((key) => !fresh.has(key)),
    { working, sources, damaged, sizeOf: (key) => stored.media[digestOfKey(key)]?.size_bytes },
  );
  const has = (key: string): boolean => fresh.has(key) || found.has(key);
  const media = Object.fromEntries(
    Object.entries(stored.media).map(([digest, entry]) => [digest, knownEntry(digest, entry, has)]),
  );
  const filed = fromFileData({ ...stored, media });
  return { ...filed, media: withFoundEntries(filed, found) };
}

/** The key of a provider's file, whether or not anyone has its bytes. */
function fileKey([digest, { uri, ref, mime_type }]: readonly [string, MediaEntry]): readonly string[] {
  return uri === undefined ? [] : [ref ?? mediaKey(digest, mime_type)];
}

/** An entry of a provider's file has a reference exactly where its bytes are there. */
function knownEntry(digest: string, entry: MediaEntry, has: (key: string) => boolean): MediaEntry {
  const { ref, ...file } = entry;
  if (entry.uri === undefined) return entry;
  const key = ref ?? mediaKey(digest, entry.mime_type);
  return has(key) ? { ...file, ref: key } : file;
}

/** Markers may come without a table, or with one that is wrong: what their blobs are is known once they have been read. */
function withFoundEntries(
  { provider, messages, media }: Envelope,
  found: ReadonlyMap<string, BlobFacts>,
): Envelope["media"] {
  const read = mediaPlaces(dialectFor(provider), messages).flatMap((place): [string, MediaEntry][] => {
    const key = keyOf(place.data);
    if (key === undefined) return [];
    const [known, facts] = [media[digestOfKey(key)], found.get(key)];
    if (known !== undefined && facts === undefined) return [];
    return [[digestOfKey(key), { mime_type: place.mime_type, ref: key, ...known, ...sizesOf(place, facts) }]];
  });
  return read.length === 0 ? media : { ...media, ...Object.fromEntries(read) };
}

function sizesOf(
  { as_text }: MediaPlace,
  facts: BlobFacts | undefined,
): Pick<MediaEntry, "size_bytes" | "json_bytes"> {
  if (facts === undefined) return { size_bytes: 0 };
  const { size_bytes, json_bytes } = facts;
  return as_text === true ? { size_bytes, json_bytes } : { size_bytes };
}

export interface MendedMedia {
  readonly envelope: Envelope;
  readonly report: readonly MediaReportEntry[];
}

/** The envelope with a text in the place of what cannot be used, or, with `preserve`, as it is; reported either way. */
export async function mendedMedia(
  envelope: Envelope,
  { reader, working, preserve, damaged, whereMissing }: RestoreMedia,
): Promise<MendedMedia> {
  const dialect = dialectFor(envelope.provider);
  const places = mediaPlaces(dialect, envelope.messages);
  const keys = new Set(places.flatMap(({ data }) => keyOf(data) ?? []).filter((key) => !damaged.has(key)));
  const heads = await headsOf(working, keys);
  const judging = { reader, heads, damaged, whereMissing };
  const judged = new Map<string, Verdict>();
  const report: MediaReportEntry[] = [];
  for (const place of places) {
    const verdict = await judgeMedia(place, judging);
    if (verdict === undefined) continue;
    judged.set(placeId(place), verdict);
    report.push(entryOf(place, verdict, { media: envelope.media, preserve }));
  }
  const replaced = replaceByText(dialect, envelope.messages, (place) => {
    const verdict = judged.get(placeId(place));
    return verdict && verdictText(place.mime_type, mediaSize(place, envelope.media), verdict);
  });
  const possible = withoutImpossible(
    { ...envelope, messages: preserve ? envelope.messages : replaced },
    reader,
  );
  if (preserve)
    return {
      envelope,
      report: [...report, ...possible.report.map((entry) => ({ ...entry, preserved: true as const }))],
    };
  const { messages } = possible;
  if (messages === envelope.messages) return { envelope, report };
  return {
    envelope: { ...envelope, messages, media: stillNamed({ ...envelope, messages }, places) },
    report: [...report, ...possible.report],
  };
}

/** What no request could send: kept as it was asked for, out of the attic, or taken only by the server that it comes from. */
function withoutImpossible(
  { messages, media }: Envelope,
  reader: AttachmentReader,
): Pick<Envelope, "messages"> & { readonly report: readonly MediaReportEntry[] } {
  const report: MediaReportEntry[] = [];
  const possible = mapPreserving(messages, (message, message_index) => {
    const without = impossibleAsText(reader, message);
    for (const entry of without.report) {
      const digest = reportedDigest(entry, message, dialectFor(reader.provider));
      report.push(withTableFacts({ ...entry, message_index }, media[digest ?? ""]));
    }
    return without.message;
  });
  return { messages: possible, report };
}

async function headsOf(
  store: MediaStore,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const heads = new Map<string, Uint8Array>();
  for (const key of keys) {
    const head = await headOf(store, key);
    if (head !== undefined) heads.set(key, head);
  }
  return heads;
}

const placeId = ({ message_index, path }: MediaPlace): string => `${message_index} ${path}`;

function entryOf(
  place: MediaPlace,
  { reason, detail }: Verdict,
  { media, preserve }: { readonly media: Envelope["media"]; readonly preserve: boolean },
): MediaReportEntry {
  const { mime_type, message_index } = place;
  const preserved = preserve ? { preserved: true } : {};
  const key = keyOf(place.data);
  const entry = { reason, mime_type, size: mediaSize(place, media), message_index, detail, ...preserved };
  return withTableFacts(entry, key === undefined ? undefined : media[digestOfKey(key)]);
}

/** What only replaced places named is not in the table any more; what the attic or nobody names stays as it was. */
function stillNamed(envelope: Envelope, before: readonly MediaPlace[]): Envelope["media"] {
  const named = new Set(storedKeys({ ...envelope, media: {} }).map(digestOfKey));
  const gone = new Set(before.flatMap(({ data }) => keyOf(data) ?? []).map(digestOfKey));
  return Object.fromEntries(
    Object.entries(envelope.media).filter(([digest]) => named.has(digest) || !gone.has(digest)),
  );
}
