/** Checks script entries that come from outside, so that a misspelt one fails at once and not as a strange reply. */
import { UsageError } from "../core/errors/errors.js";
import { isJsonObject, type JsonObject } from "../core/json.js";
import { PROVIDER_NAMES } from "../core/providers.js";
import type { Pace, ScriptEntry } from "./script.js";

type Check = (value: unknown) => boolean;
interface Field {
  readonly check: Check;
  readonly expected: string;
}
type Fields = Readonly<Record<string, Field>>;

const TEXT: Field = { check: (value) => typeof value === "string", expected: "a text" };
const COUNT: Field = {
  check: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  expected: "a number from 0",
};
const OBJECT: Field = { check: isJsonObject, expected: "an object" };
const FLAG: Field = { check: (value) => typeof value === "boolean", expected: "true or false" };
const LIST: Field = { check: Array.isArray, expected: "a list" };

function oneOf(...values: readonly string[]): Field {
  return { check: (value) => values.includes(value as string), expected: `one of ${values.join(", ")}` };
}

const ENTRY: Fields = {
  match: OBJECT,
  times: {
    check: (value) => value === null || (Number.isInteger(value) && Number(value) > 0),
    expected: "a whole number from 1, or null",
  },
  reply: OBJECT,
  fault: OBJECT,
  pace: OBJECT,
};
const MATCH: Fields = { wire: oneOf(...PROVIDER_NAMES), model: TEXT, text: TEXT, path: TEXT };
const REPLY: Fields = {
  text: TEXT,
  reasoning: TEXT,
  toolCalls: LIST,
  usage: OBJECT,
  finishReason: oneOf("stop", "length", "tool_calls", "content_filter"),
  rawFinishReason: TEXT,
  model: TEXT,
};
const TOOL_CALL: Fields = { id: TEXT, name: TEXT, arguments: OBJECT };
const PACE: Fields = { delayMs: COUNT, chunkDelayMs: COUNT, minimumReplyMs: COUNT, chunkSize: COUNT };
const RETRY: Fields = {
  retryAfter: { check: (value) => TEXT.check(value) || COUNT.check(value), expected: "seconds or a text" },
  retryAfterMs: COUNT,
};
const AFTER: Fields = { afterChunks: COUNT, afterFinish: FLAG };
const FAULTS: Readonly<Record<string, Fields>> = {
  status: { status: COUNT, type: TEXT, message: TEXT, code: TEXT, headers: OBJECT, ...RETRY },
  overloaded: RETRY,
  hang: AFTER,
  cut: AFTER,
  truncated: AFTER,
  malformed: AFTER,
  stream_error: { type: TEXT, message: TEXT, ...AFTER },
  huge_error: { status: COUNT, bytes: COUNT },
};

/** @throws UsageError naming the first field that is wrong. */
export function parseScript(value: unknown): readonly ScriptEntry[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry, index) => parseEntry(entry, `script[${index}]`));
}

/** @throws UsageError naming the first field that is wrong. */
export function parsePace(value: unknown, path: string): Pace {
  return checkFields(value, path, PACE);
}

function parseEntry(value: unknown, path: string): ScriptEntry {
  const entry = checkFields(value, path, ENTRY);
  if (entry.match !== undefined) checkFields(entry.match, `${path}.match`, MATCH);
  if (entry.pace !== undefined) parsePace(entry.pace, `${path}.pace`);
  if (entry.reply !== undefined) parseReply(entry.reply, `${path}.reply`);
  if (entry.fault !== undefined) parseFault(entry.fault, `${path}.fault`);
  return entry as ScriptEntry;
}

function parseReply(value: unknown, path: string): void {
  const { toolCalls } = checkFields(value, path, REPLY);
  if (!Array.isArray(toolCalls)) return;
  toolCalls.forEach((call, index) => {
    const checked = checkFields(call, `${path}.toolCalls[${index}]`, TOOL_CALL);
    if (checked.name === undefined) throw wrong(`${path}.toolCalls[${index}].name`, "a text", undefined);
  });
}

function parseFault(value: unknown, path: string): void {
  const kind = isJsonObject(value) ? value.kind : undefined;
  const fields = typeof kind === "string" ? FAULTS[kind] : undefined;
  if (fields === undefined) throw wrong(`${path}.kind`, `one of ${Object.keys(FAULTS).join(", ")}`, kind);
  const checked = checkFields(value, path, { kind: TEXT, ...fields });
  if (kind === "status" && checked.status === undefined) throw wrong(`${path}.status`, "a number", undefined);
}

function checkFields(value: unknown, path: string, fields: Fields): JsonObject {
  if (!isJsonObject(value)) throw wrong(path, "an object", value);
  for (const [key, given] of Object.entries(value)) {
    const field = fields[key];
    if (field === undefined) {
      throw new UsageError(`${path} has no ${key}. Known: ${Object.keys(fields).join(", ")}.`);
    }
    if (given !== undefined && !field.check(given)) throw wrong(`${path}.${key}`, field.expected, given);
  }
  return value;
}

function wrong(path: string, expected: string, given: unknown): UsageError {
  return new UsageError(`${path} must be ${expected}, and is ${JSON.stringify(given)?.slice(0, 80)}.`);
}
