/** What a dialect's mapMedia shows of a message. */
import { expect } from "vitest";
import type { Dialect, MediaSlot } from "../../../src/core/dialects/dialect.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { deepFreeze } from "./deep-freeze.js";

/** The slots of a message, which must come back as the very same object when nothing is replaced. */
export function slotsOf(dialect: Dialect, message: NativeMessage): readonly MediaSlot[] {
  const slots: MediaSlot[] = [];
  const mapped = dialect.mapMedia(deepFreeze(message), (slot) => {
    slots.push(slot);
    return slot.data;
  });
  expect(mapped).toBe(message);
  return slots;
}

/** The value at a dotted path. */
export function valueAt(message: NativeMessage, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], message);
}
