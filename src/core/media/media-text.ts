/** Text in the place of media: in a stripped file, where bytes are missing, and in requests that go without them. */
import type { Dialect } from "../dialects/dialect.js";
import type { MediaEntry, NativeMessage } from "../envelope/envelope.js";
import { decodedLength } from "./base64.js";
import { digestOfKey, isMalformedMarker, keyOf } from "./marker.js";
import { type MediaPlace, mediaPlaces } from "./media-place.js";

type TextDialect = Pick<Dialect, "mapMedia" | "withMediaText">;

/** `[application/pdf, 48231 bytes: left out]`. Nothing is said of a size that is not known. */
export function mediaText(mimeType: string, size: number, why: string): string {
  return `[${mimeType}${size === 0 ? "" : `, ${size} bytes`}: ${why}]`;
}

/** Decoded bytes of a medium, inline or a marker; 0 for a marker that the table does not know, or that holds no key. */
export function mediaSize({ data }: MediaPlace, media: Readonly<Record<string, MediaEntry>>): number {
  const key = keyOf(data);
  if (key === undefined) return isMalformedMarker(data) ? 0 : decodedLength(data);
  return media[digestOfKey(key)]?.size_bytes ?? 0;
}

/** The history with a text in the place of each medium that `textFor` has one for. A message without any stays the same object. */
export function replaceByText(
  dialect: TextDialect,
  messages: readonly NativeMessage[],
  textFor: (place: MediaPlace) => string | undefined,
): readonly NativeMessage[] {
  const texts = new Map<number, (readonly [path: string, text: string])[]>();
  for (const place of mediaPlaces(dialect, messages)) {
    const text = textFor(place);
    if (text === undefined) continue;
    const found = texts.get(place.message_index) ?? [];
    // From the last to the first: a part that goes does not move those that are still to be found.
    texts.set(place.message_index, [[place.path, text], ...found]);
  }
  if (texts.size === 0) return messages;
  return messages.map((message, index) =>
    (texts.get(index) ?? []).reduce(
      (changed, [path, text]) => dialect.withMediaText(changed, path, text),
      message,
    ),
  );
}
