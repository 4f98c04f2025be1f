/** Small guards that say where a value is not what it must be, and the combinators that make large ones of them. */
import type { EnvelopeIssue } from "../errors/errors.js";
import { isJsonObject } from "../json.js";
import { jsonByteLength } from "../json-byte-length.js";
import { OUTPUT_SCHEMA_BYTES } from "./output-schema-bytes.js";

/** Every problem of a value; empty when it is right. */
export type Check = (value: unknown, path: string) => readonly EnvelopeIssue[];

const NO_ISSUES: readonly EnvelopeIssue[] = [];
const MOST_SHOWN = 60;

/** A value in a few words for a message: scalars themselves, cut when long; other things by their kind. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** A check by a predicate. */
export function is(expected: string, holds: (value: unknown) => boolean): Check {
  return (value, path) => (holds(value) ? NO_ISSUES : [{ path, expected, found: describeValue(value) }]);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

export const text: Check = is("a text", isString);
export const nonEmptyText: Check = is("a text that is not empty", (value) => isString(value) && value !== "");
export const flag: Check = is("true or false", (value) => typeof value === "boolean");
export const jsonObject: Check = is("an object", isJsonObject);
export const outputSchema: Check = is(
  "a JSON Schema of at most 32 KiB",
  (value) => isJsonObject(value) && jsonByteLength(value) <= OUTPUT_SCHEMA_BYTES,
);
export const anyJson: Check = is("a value", (value) => value !== undefined);
export const count: Check = is(
  "a whole number of 0 or more",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const positive: Check = is(
  "a whole number of 1 or more",
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
);

export const amount: Check = is(
  "a number of 0 or more",
  (value) => Number.isFinite(value) && Number(value) >= 0,
);

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;
export const time: Check = is(
  "a time such as 2026-01-31T12:00:00.000Z",
  (value) => isString(value) && TIME.test(value) && !Number.isNaN(Date.parse(value)),
);

const SHA256 = /^[0-9a-f]{64}$/;
export function isSha256(value: unknown): boolean {
  return isString(value) && SHA256.test(value);
}
export const sha256: Check = is("a SHA-256 as 64 hex digits", isSha256);

export function oneOf(values: readonly (string | boolean | number)[]): Check {
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return is(values.length === 1 ? list : `one of ${list}`, (value) => values.some((one) => one === value));
}

export function nullable(check: Check): Check {
  return (value, path) => (value === null ? NO_ISSUES : check(value, path));
}

export function optional(check: Check): Check {
  return (value, path) => (value === undefined ? NO_ISSUES : check(value, path));
}

export function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, `${path}[${index}]`))
      : [{ path, expected: "a list", found: describeValue(value) }];
}

/** An object whose every member passes `check`, under keys that pass `keyCheck`. */
export function recordOf(keyCheck: Check, check: Check): Check {
  return (value, path) =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([key, member]) => [
          ...keyCheck(key, path),
          ...check(member, `${path}.${key}`),
        ])
      : [{ path, expected: "an object", found: describeValue(value) }];
}

/** The keys that a type names itself, without those of an index signature. */
export type NamedKey<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] } & string;

/** An object of which every key of the type is checked; further keys are left as they are. */
export function shape<T>(checks: Readonly<Record<NamedKey<T>, Check>>): Check {
  const members: readonly [string, Check][] = Object.entries(checks);
  return (value, path) =>
    isJsonObject(value)
      ? members.flatMap(([key, check]) => check(value[key], path === "" ? key : `${path}.${key}`))
      : [{ path, expected: "an object", found: describeValue(value) }];
}
