/** From a history with markers to one with base64: what is to be read, then the replacement. */
import type { NativeMessage } from "../envelope/envelope.js";
import { keyOf } from "./marker.js";
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
