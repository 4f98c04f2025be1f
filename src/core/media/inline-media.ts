/** From a history with markers to one with base64: what is to be read, then the replacement. */
import type { Envelope, MediaEntry, MediaReportEntry, NativeMessage } from "../envelope/envelope.js";
import { digestOfKey, keyOf } from "./marker.js";
import { type MediaDialect, type MediaPlace, mediaPlaces, replaceMedia } from "./media-place.js";

/** A place where a marker stands. The key in it has the one allowed form and nothing else is known of it. */
export interface MarkerPlace extends MediaPlace {
  readonly key: string;
}

export function markerPlaces(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
): readonly MarkerPlace[] {
  return mediaPlaces(dialect, messages).flatMap((place) => {
    const key = keyOf(place.data);
    return key === undefined ? [] : [{ ...place, key }];
  });
}

/** The base64 of blobs by their key. A key that is not there could not be read. */
export type Base64ByKey = ReadonlyMap<string, string>;

/** The history with base64 in the place of every marker whose blob was read; the others stay. */
export function inlineMedia(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
  base64: Base64ByKey,
): readonly NativeMessage[] {
  return replaceMedia(dialect, messages, ({ data }) => base64.get(keyOf(data) ?? "") ?? data);
}

/** An entry for each marker whose blob was not read. Its part stays in the history until the blob is there again. */
export function missingMedia(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
  {
    media,
    has,
    detail,
  }: {
    readonly media: Readonly<Record<string, MediaEntry>>;
    readonly has: (key: string) => boolean;
    readonly detail?: string;
  },
): readonly MediaReportEntry[] {
  return markerPlaces(dialect, messages)
    .filter(({ key }) => !has(key))
    .map(({ key, mime_type, message_index }) => ({
      reason: "missing_blob",
      mime_type,
      size: media[digestOfKey(key)]?.size_bytes ?? 0,
      message_index,
      detail: detail ?? key,
      preserved: true,
    }));
}

/** An envelope that needs no store: base64 in its messages, and no media table but for what could not be read. */
export function inlineEnvelope(dialect: MediaDialect, envelope: Envelope, base64: Base64ByKey): Envelope {
  const keys = markerPlaces(dialect, envelope.messages).map(({ key }) => key);
  return {
    ...envelope,
    messages: inlineMedia(dialect, envelope.messages, base64),
    media_policy: "inline",
    media: tableWithout(envelope.media, keys, (key) => base64.has(key)),
  };
}

/** The table without the entries of markers that are in the history no more. */
export function tableWithout(
  media: Readonly<Record<string, MediaEntry>>,
  keys: readonly string[],
  isInlined: (key: string) => boolean,
): Readonly<Record<string, MediaEntry>> {
  const kept = new Set(keys.filter((key) => !isInlined(key)).map(digestOfKey));
  const gone = new Set(keys.filter(isInlined).map(digestOfKey));
  return Object.fromEntries(
    Object.entries(media).filter(([digest]) => kept.has(digest) || !gone.has(digest)),
  );
}
