/** A live conversation's envelope as it is written: of one moment, its media inline, sealed. */
import type { WorkflowHandle } from "@temporalio/client";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, MediaEntry } from "../core/envelope/envelope.js";
import { sealEnvelope } from "../core/envelope/serialise-envelope.js";
import { atticOnlyKeys } from "../core/media/attic-media.js";
import { inlineEnvelope, markerPlaces } from "../core/media/inline-media.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { readEnvelope } from "./read-pages.js";

export interface ExportOptions {
  readonly savedAt: string;
  readonly mediaStore: MediaStore;
}

export async function exportEnvelope(
  handle: WorkflowHandle,
  { savedAt, mediaStore }: ExportOptions,
): Promise<Envelope> {
  return withInlineMedia(await readEnvelope(handle, savedAt), mediaStore);
}

/**
 * The envelope with every medium that the store has in its place, sealed anew. Media that only the attic names keep their
 * markers there, and the table carries their bytes.
 */
export async function withInlineMedia(envelope: Envelope, store: MediaStore): Promise<Envelope> {
  const dialect = dialectFor(envelope.provider);
  const keys = new Set(markerPlaces(dialect, envelope.messages).map(({ key }) => key));
  const inlined = inlineEnvelope(dialect, envelope, await readBase64(store, keys));
  const table = await tableWithData(envelope.media, atticOnlyKeys(envelope), store);
  return sealEnvelope({ ...inlined, media: { ...inlined.media, ...table } });
}

async function tableWithData(
  media: Envelope["media"],
  keys: readonly string[],
  store: MediaStore,
): Promise<Record<string, MediaEntry>> {
  const table: Record<string, MediaEntry> = {};
  for (const [key, data] of await readBase64(store, keys)) {
    const entry = media[digestOfKey(key)];
    if (entry !== undefined) table[digestOfKey(key)] = { ...entry, data };
  }
  return table;
}

/** The base64 of the blobs that the store has. */
export async function readBase64(
  store: Pick<MediaStore, "get">,
  keys: Iterable<string>,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const loaded = new Map<string, string>();
  for (const key of keys) {
    const bytes = await store.get(key, signal === undefined ? {} : { signal });
    if (bytes !== undefined)
      loaded.set(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"));
  }
  return loaded;
}
