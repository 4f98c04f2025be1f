/** Lists cut to what a view of small fields has room for; the `envelope` query has all of them. */
import { jsonByteLength } from "../json-byte-length.js";

/** Most that each list may take. */
export const LIST_BYTES: number = 16 * 1024;

export function firstWithin<T>(list: readonly T[]): readonly T[] {
  let room = LIST_BYTES;
  const end = list.findIndex((item) => {
    room -= jsonByteLength(item) + 1;
    return room < 0;
  });
  return end < 0 ? list : list.slice(0, end);
}

export function lastWithin<T>(list: readonly T[]): readonly T[] {
  return firstWithin(list.toReversed()).toReversed();
}
