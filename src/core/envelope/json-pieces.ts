/** The JSON of a document in pieces, so that a large attachment in it is never copied: its base64 is a piece as it stands. */
import { isJsonObject } from "../json.js";

/** From here on a copy is worth to be spared. */
const LARGE_CHARACTERS = 256 * 1024;
/** In JSON a text without such a character stands between its quotes as it is. Searched for: a match of the whole would fill a stack. */
const OTHER = /[^A-Za-z0-9+/=:;,.$_-]/;
/** A private character around a number: where a document has one like it, nothing is taken out. */
const STAND_IN = /\uE0F5(\d+)\uE0F5/;

/** Joined, they are what `stringify` (JSON.stringify, or one that sorts keys) makes of the value. */
export function jsonPieces(value: unknown, stringify: (value: unknown) => string): readonly string[] {
  const large: string[] = [];
  const parts = stringify(withoutLarge(value, large)).split(STAND_IN);
  // Text and numbers by turns: another count, or order, means that the document has a stand-in of its own.
  const numbers = parts.filter((_, index) => index % 2 === 1).map(Number);
  const isOurs =
    numbers.length === large.length &&
    new Set(numbers).size === large.length &&
    numbers.every((n) => n < large.length);
  if (!isOurs) return [stringify(value)];
  return parts.map((part, index) => (index % 2 === 0 ? part : (large[Number(part)] ?? "")));
}

/** What holds no large text stays the same object. */
function withoutLarge(value: unknown, large: string[]): unknown {
  if (typeof value === "string") {
    if (value.length < LARGE_CHARACTERS || OTHER.test(value)) return value;
    return `\uE0F5${large.push(value) - 1}\uE0F5`;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutLarge(item, large));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, withoutLarge(member, large)] as const);
  return entries.every(([key, member]) => member === value[key]) ? value : Object.fromEntries(entries);
}
