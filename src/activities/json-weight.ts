/** How much JSON a value is, about, without reading its texts. */
import { remembered } from "../core/dialects/remembered.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { HEAVY_HISTORY_BYTES } from "./heavy-bytes.js";

/** Quotes, commas, a number: what a value costs beside its characters. */
const VALUE_BYTES = 4;

/**
 * The characters of the value's texts and keys and a little for each value. Counting ends above `limit`, so that asking
 * whether something is large takes no longer for what is larger.
 */
export function jsonWeight(value: unknown, limit: number = Number.POSITIVE_INFINITY): number {
  const open: unknown[] = [value];
  let weight = 0;
  while (open.length > 0 && weight <= limit) {
    const next = open.pop();
    weight += VALUE_BYTES;
    if (typeof next === "string") weight += next.length;
    else if (typeof next === "object" && next !== null) weight += pushMembers(open, next, limit);
  }
  return weight;
}

/** The same of a history, as far as it is not heavy. Each message is weighed once. */
export function historyWeight(messages: readonly NativeMessage[]): number {
  let weight = VALUE_BYTES;
  for (const message of messages) {
    weight += messageWeight(message);
    if (weight > HEAVY_HISTORY_BYTES) break;
  }
  return weight;
}

const messageWeight = remembered((message) => jsonWeight(message, HEAVY_HISTORY_BYTES));

/** Puts the members on the list and returns the weight of their keys. A long list is looked into only as far as it counts. */
function pushMembers(open: unknown[], value: object, limit: number): number {
  if (Array.isArray(value)) {
    const length = Math.min(value.length, limit / VALUE_BYTES + 1);
    for (let index = 0; index < length; index += 1) open.push(value[index]);
    return 0;
  }
  let weight = 0;
  for (const [key, member] of Object.entries(value)) {
    weight += key.length;
    open.push(member);
  }
  return weight;
}
