/** What a tool has returned, as JSON has it: nothing here throws, and nothing is walked for longer than it is worth. */
import { checkStructure } from "../../core/envelope/structure.js";
import { cleanText } from "../../core/errors/clean-text.js";
import type { JsonValue } from "../../core/json.js";

/** What is walked of one result, about in bytes of JSON. */
const MOST_WALKED = 32 * 1024 * 1024;

/** What JSON cannot hold is written as a text that says so. */
export function plainValue(tool: string, value: unknown): JsonValue {
  if (typeof value === "string") return value;
  if (isStream(value))
    return `[${tool} returned a stream or a generator, which was not read: a tool returns what it has read]`;
  try {
    const text: string | undefined = JSON.stringify(value, writer());
    if (text === undefined) return `[${tool} returned a ${typeof value}, which is no JSON]`;
    const plain: JsonValue = JSON.parse(text);
    // Nested too deep, or with keys that an envelope refuses: the same as text harms nobody.
    return checkStructure({ output: plain }) === undefined ? plain : text;
  } catch (error) {
    const reason = cleanText(error instanceof Error ? error.message : String(error), 200);
    return `[The result of ${tool} cannot be written as JSON: ${reason}]`;
  }
}

/** A replacer that counts what it is shown. */
function writer(): (key: string, value: unknown) => unknown {
  let walked = 0;
  return (key, value) => {
    walked += key.length + (typeof value === "string" ? value.length : 8);
    if (walked > MOST_WALKED) throw new RangeError(`it is larger than ${MOST_WALKED} bytes`);
    return withoutBytes(writable(value));
  };
}

/**
 * Bytes have a JSON form of their own, with a number for each, which is made before a replacer is shown it: so they are taken
 * out with whatever holds them.
 */
function withoutBytes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (bytesIn(value) !== undefined) return shownBytes(value);
  if (!Object.values(value).some((member) => bytesIn(member) !== undefined)) return value;
  if (Array.isArray(value)) return value.map(shownBytes);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shownBytes(member)]));
}

function shownBytes(value: unknown): unknown {
  const bytes = bytesIn(value);
  return bytes === undefined ? value : `[${bytes} bytes]`;
}

function bytesIn(value: unknown): number | undefined {
  if (value instanceof Blob) return value.size;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer)
    return value.byteLength;
  return undefined;
}

function writable(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (isStream(value)) return "[a stream or a generator]";
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}

/** Of Node or of the web, or whatever else is to be iterated over later. */
function isStream(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && "next" in value && typeof value.next === "function";
}
