/** From a history with base64 in it to one with markers: what is to be stored, then the replacement. */
import type { MediaEntry, NativeMessage } from "../envelope/envelope.js";
import { isCanonicalBase64 } from "./base64.js";
import { digestOfKey, markerFor } from "./marker.js";
import { type MediaDialect, type MediaPlace, mediaPlaces, replaceMedia } from "./media-place.js";

/** A stored blob: its key in the store, and what the media table says of it. */
export interface StoredMedia {
  readonly key: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  /** For text: what `jsonTextByteLength` says of its bytes. */
  readonly json_bytes?: number;
}

type MediaContent = Pick<MediaPlace, "mime_type" | "data">;

/** Stored blobs by type and base64: the same bytes under two types are two keys. One key of both would copy every byte. */
export class StoredBlobs {
  readonly #byType = new Map<string, Map<string, StoredMedia>>();

  get({ mime_type, data }: MediaContent): StoredMedia | undefined {
    return this.#byType.get(mime_type)?.get(data);
  }

  set({ mime_type, data }: MediaContent, blob: StoredMedia): void {
    const ofType = this.#byType.get(mime_type) ?? new Map<string, StoredMedia>();
    this.#byType.set(mime_type, ofType.set(data, blob));
  }

  *values(): IterableIterator<StoredMedia> {
    for (const ofType of this.#byType.values()) yield* ofType.values();
  }
}

/** The places whose base64 is to be stored. Markers stand already; base64 that is not canonical would not come back. */
export function base64Places(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
): readonly MediaPlace[] {
  return mediaPlaces(dialect, messages).filter(({ data }) => isCanonicalBase64(data));
}

/** The history with the marker of each blob in the place of its base64. What was not stored stays as it is. */
export function extractMedia(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
  stored: Pick<StoredBlobs, "get">,
): readonly NativeMessage[] {
  return replaceMedia(dialect, messages, (place) => {
    const blob = stored.get(place);
    return blob === undefined ? place.data : markerFor(blob.key);
  });
}

/** The entries of the media table for stored blobs. Bytes that stand both as text and as another type keep their length as text. */
export function mediaTable(stored: Iterable<StoredMedia>): Readonly<Record<string, MediaEntry>> {
  const table: Record<string, MediaEntry> = {};
  for (const { key, ...entry } of stored) {
    const digest = digestOfKey(key);
    table[digest] = { ...table[digest], ...entry, ref: key };
  }
  return table;
}
