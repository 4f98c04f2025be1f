/** Where the bytes of each medium of an envelope are: in the file, in a store, only at the provider, or nowhere. */
import { dialectFor } from "../dialects/index.js";
import type { Envelope, MediaEntry } from "../envelope/envelope.js";
import { fromFileData } from "./google-files.js";
import { digestOfKey, isMalformedMarker, keyOf, mediaKey } from "./marker.js";
import { type MediaPlace, mediaPlaces } from "./media-place.js";
import { mediaSize } from "./media-text.js";

export interface MediaWhereabouts {
  readonly message_index: number;
  readonly mime_type: string;
  /** Decoded; 0 where nobody has said. */
  readonly size_bytes: number;
  readonly name?: string;
  /** `nowhere`: only the provider has them, for as long as the upload lives, or a malformed marker stands for none. */
  readonly bytes: "inline" | "store" | "nowhere";
  /** The store key. */
  readonly ref?: string;
  readonly uri?: string;
  readonly expiration_time?: string;
}

/** In the order of the history. Of an uploaded file whose address the media table does not know nothing is said. */
export function mediaWhereabouts(envelope: Envelope): readonly MediaWhereabouts[] {
  const { provider, media } = envelope;
  const { messages } = fromFileData({ ...envelope, media: withReferences(media) });
  return mediaPlaces(dialectFor(provider), messages).map((place) => whereaboutsOf(place, media));
}

/** Files that only their address names are media as well. */
export function withReferences(
  media: Readonly<Record<string, MediaEntry>>,
): Readonly<Record<string, MediaEntry>> {
  return Object.fromEntries(
    Object.entries(media).map(([digest, entry]) => [
      digest,
      entry.uri === undefined ? entry : { ref: mediaKey(digest, entry.mime_type), ...entry },
    ]),
  );
}

function whereaboutsOf(place: MediaPlace, media: Envelope["media"]): MediaWhereabouts {
  const { message_index, mime_type, data } = place;
  const key = keyOf(data);
  const known = { message_index, mime_type, size_bytes: mediaSize(place, media) };
  if (key === undefined) return { ...known, bytes: isMalformedMarker(data) ? "nowhere" : "inline" };
  const { name, uri, expiration_time, ...entry }: Partial<MediaEntry> = media[digestOfKey(key)] ?? {};
  const address = {
    ...(name === undefined ? {} : { name }),
    ...(uri === undefined ? {} : { uri }),
    ...(expiration_time === undefined ? {} : { expiration_time }),
  };
  if (entry.data !== undefined) return { ...known, bytes: "inline", ...address };
  const ref = entry.ref ?? (uri === undefined ? key : undefined);
  return ref === undefined
    ? { ...known, bytes: "nowhere", ...address }
    : { ...known, bytes: "store", ref, ...address };
}
