/** Where the media of a history stand, and putting something else there. */
import type { Dialect, MediaSlot } from "../dialects/dialect.js";
import { remembered } from "../dialects/remembered.js";
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
  const hasMedia = lookFor(dialect);
  for (const [message_index, message] of messages.entries()) {
    if (!hasMedia(message)) continue;
    dialect.mapMedia(message, (slot) => {
      places.push({ ...slot, message_index });
      return slot.data;
    });
  }
  return places;
}

const looks = new WeakMap<MediaDialect, (message: NativeMessage) => boolean>();

/** Whether a message has a slot: most have none, and every turn asks of all. */
function lookFor(dialect: MediaDialect): (message: NativeMessage) => boolean {
  const known = looks.get(dialect);
  if (known !== undefined) return known;
  const look = remembered((message) => {
    let slots = 0;
    dialect.mapMedia(message, ({ data }) => {
      slots++;
      return data;
    });
    return slots > 0;
  });
  looks.set(dialect, look);
  return look;
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
