/** Where the media of a history stand, and putting something else there. */
import type { Dialect, MediaSlot } from "../dialects/dialect.js";
import type { NativeMessage } from "../envelope/envelope.js";

/** A dialect as far as media go. */
export type MediaDialect = Pick<Dialect, "mapMedia">;

/** One media slot and the message it stands in. */
export interface MediaPlace extends MediaSlot {
  readonly message_index: number;
}

/** Every media slot of a history, in its order. */
export function mediaPlaces(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
): readonly MediaPlace[] {
  const places: MediaPlace[] = [];
  for (const [message_index, message] of messages.entries()) {
    dialect.mapMedia(message, (slot) => {
      places.push({ ...slot, message_index });
      return slot.data;
    });
  }
  return places;
}

/** The history with the data of its slots replaced. A message in which nothing changes stays the same object. */
export function replaceMedia(
  dialect: MediaDialect,
  messages: readonly NativeMessage[],
  replace: (place: MediaPlace) => string,
): readonly NativeMessage[] {
  return messages.map((message, message_index) =>
    dialect.mapMedia(message, (slot) => replace({ ...slot, message_index })),
  );
}
