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
  const without = messagesWithout(dialect);
  for (const [message_index, message] of messages.entries()) {
    if (without.has(message)) continue;
    const before = places.length;
    dialect.mapMedia(message, (slot) => {
      places.push({ ...slot, message_index });
      return slot.data;
    });
    // What only claims to be a message may be no object at all.
    if (places.length === before && typeof message === "object" && message !== null) without.add(message);
  }
  return places;
}

/** By dialect, the messages that were looked at and have no slot: most have none, and every turn asks of all. */
const bare = new WeakMap<MediaDialect, WeakSet<NativeMessage>>();

function messagesWithout(dialect: MediaDialect): WeakSet<NativeMessage> {
  const known = bare.get(dialect) ?? new WeakSet();
  bare.set(dialect, known);
  return known;
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
