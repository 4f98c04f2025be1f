/** Inline media into a store: every base64 of an envelope becomes a marker, its bytes a blob. */
import { createHash } from "node:crypto";
import { isUnit, readAttic } from "../core/dialects/attic.js";
import { withFileBytes } from "../core/dialects/convert.js";
import type { Dialect } from "../core/dialects/dialect.js";
import { DIALECTS, dialectFor } from "../core/dialects/index.js";
import type { Envelope, MediaEntry, NativeMessage } from "../core/envelope/envelope.js";
import type { JsonObject } from "../core/json.js";
import { jsonTextByteLength } from "../core/json-byte-length.js";
import {
  base64Places,
  extractMedia,
  mediaTable,
  StoredBlobs,
  type StoredMedia,
} from "../core/media/extract-media.js";
import { inlineMedia, markerPlaces } from "../core/media/inline-media.js";
import { digestOfKey, mediaKey } from "../core/media/marker.js";
import type { MediaPlace } from "../core/media/media-place.js";
import type { MediaStore } from "../core/media/media-store.js";
import { bareMimeType } from "../core/media/mime.js";
import { isTextType } from "../core/media/text-type.js";
import { dialectOf } from "../core/providers.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { readBase64 } from "./export-envelope.js";

/** The envelope with every inline medium in the store, in its messages, its attic and its media table. */
export async function storeMedia(envelope: Envelope, store: MediaStore): Promise<Envelope> {
  const blobs = new StoredBlobs();
  const messages = await extracted(dialectFor(envelope.provider), envelope.messages, {
    store,
    media: envelope.media,
    blobs,
  });
  const attic: JsonObject[] = [];
  for (const entry of envelope.attic)
    attic.push(await storedEntry(entry, { store, media: envelope.media, blobs }));
  const media = await tableInStore(envelope.media, store);
  // What the table says beside, such as a provider's address, stays: the attic may name it.
  for (const [sha256, entry] of Object.entries(mediaTable(blobs.values())))
    media[sha256] = { ...media[sha256], ...entry };
  return { ...envelope, messages, attic, media };
}

/** The inline media of some messages in the store, for a turn that has just made them. */
export async function storeMessages(
  dialect: Dialect,
  messages: readonly NativeMessage[],
  store: Pick<MediaStore, "put">,
): Promise<Pick<Envelope, "messages" | "media">> {
  const blobs = new StoredBlobs();
  const stored = await extracted(dialect, messages, { store, media: {}, blobs });
  return { messages: stored, media: mediaTable(blobs.values()) };
}

/** An entry of a form that is not ours rides along as it is. */
async function storedEntry(entry: JsonObject, storing: Storing): Promise<JsonObject> {
  const [unit] = readAttic([entry]).filter(isUnit);
  if (unit === undefined) return entry;
  return { ...entry, messages: await extracted(DIALECTS[unit.dialect], unit.messages, storing) };
}

interface Storing {
  readonly store: Pick<MediaStore, "put">;
  /** The table before: what it names already keeps its key, whatever type its place shows. */
  readonly media: Envelope["media"];
  readonly blobs: StoredBlobs;
}

async function extracted(
  dialect: Dialect,
  messages: readonly NativeMessage[],
  { store, media, blobs }: Storing,
): Promise<readonly NativeMessage[]> {
  const places = base64Places(dialect, messages);
  for (const place of places) {
    if (blobs.get(place) === undefined) blobs.set(place, await storePlace(store, place, media));
  }
  return places.length === 0 ? messages : extractMedia(dialect, messages, blobs);
}

async function storePlace(
  store: Pick<MediaStore, "put">,
  place: MediaPlace,
  media: Envelope["media"],
): Promise<StoredMedia> {
  const bytes = Buffer.from(place.data, "base64");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const key = media[sha256]?.ref ?? mediaKey(sha256, place.mime_type);
  await store.put(key, bytes);
  const text = place.as_text === true ? { json_bytes: jsonTextByteLength(bytes) } : {};
  const mime_type = media[sha256]?.mime_type ?? place.mime_type;
  return { key, mime_type, size_bytes: bytes.byteLength, ...text };
}

/**
 * Entries that carry their bytes hand them to the store. Bytes of another digest are nobody's: the entry keeps what else it
 * says, such as a provider's address.
 */
async function tableInStore(
  media: Envelope["media"],
  store: MediaStore,
): Promise<Record<string, MediaEntry>> {
  const table: Record<string, MediaEntry> = {};
  for (const [sha256, { data, ...entry }] of Object.entries(media)) {
    const key = entry.ref ?? mediaKey(sha256, entry.mime_type);
    const isThere = data !== undefined && (await isPut(store, key, Buffer.from(data, "base64")));
    // A provider's file of which nobody has the bytes has no reference.
    table[sha256] = isThere || entry.uri === undefined ? { ...entry, ref: key } : entry;
  }
  return table;
}

async function isPut(store: MediaStore, key: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await store.put(key, bytes);
    return true;
  } catch (error) {
    if (error instanceof BlobDamagedError) return false;
    throw error;
  }
}

/** Keys of what stands for text in the messages, markers and files of the provider: another dialect may take it only as text. */
export function textMarkers({ provider, messages, media }: Envelope): ReadonlySet<string> {
  const places = markerPlaces(dialectFor(provider), withFileBytes(dialectOf(provider), messages, media));
  return new Set(places.filter(({ mime_type }) => isReadable(mime_type)).map(({ key }) => key));
}

/** A drawing in SVG is text as well. */
const isReadable = (mimeType: string): boolean =>
  isTextType(mimeType) || bareMimeType(mimeType) === "image/svg+xml";

/** The envelope with the bytes of its text files in their places, from its own media table or from the store. */
export async function inlineTextMedia(envelope: Envelope, store: Pick<MediaStore, "get">): Promise<Envelope> {
  const keys = textMarkers(envelope);
  if (keys.size === 0) return envelope;
  const held = [...keys].flatMap((key) => {
    const data = envelope.media[digestOfKey(key)]?.data;
    return data === undefined ? [] : [[key, data] as const];
  });
  const base64 = new Map(held);
  const read = await readBase64(
    store,
    [...keys].filter((key) => !base64.has(key)),
  );
  for (const [key, data] of read) base64.set(key, data);
  const messages = inlineMedia(dialectFor(envelope.provider), envelope.messages, base64);
  return { ...envelope, messages, media: withFileTexts(envelope.media, base64) };
}

/** The table with the texts that it has under a provider's address, until they are stored again. */
function withFileTexts(media: Envelope["media"], base64: ReadonlyMap<string, string>): Envelope["media"] {
  const texts = [...base64].flatMap(([key, data]) => {
    const entry = media[digestOfKey(key)];
    return entry?.uri === undefined ? [] : [[digestOfKey(key), { ...entry, data }] as const];
  });
  return texts.length === 0 ? media : { ...media, ...Object.fromEntries(texts) };
}
