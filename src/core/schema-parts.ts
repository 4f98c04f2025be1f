/** The parts of a JSON Schema, for what a wire takes of one. */
import { isJsonObject, type JsonObject, type JsonValue } from "./json.js";

const SINGLE: readonly string[] = [
  ...["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"],
  ...["contains", "not", "if", "then", "else"],
];
const LISTS: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS: readonly string[] = [
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
];

/** The schema with each schema right below it replaced. `true` and `false` are schemas as well. */
export function mapParts(schema: JsonObject, change: (part: JsonValue) => JsonValue): JsonObject {
  const changed = Object.entries(schema).map(([key, value]): [string, JsonValue | undefined] => {
    if (value === undefined) return [key, value];
    if (SINGLE.includes(key)) return [key, change(value)];
    if (LISTS.includes(key) && Array.isArray(value)) return [key, value.map(change)];
    if (MAPS.includes(key) && isJsonObject(value)) return [key, mapValues(value, change)];
    return [key, value];
  });
  return Object.fromEntries(changed);
}

function mapValues(map: JsonObject, change: (part: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([key, part]) => [key, part === undefined ? part : change(part)]),
  );
}

/** The schema and every schema in it, itself first. */
export function partsOf(schema: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(schema)) return [schema];
  const parts: JsonValue[] = [schema];
  mapParts(schema, (part) => {
    parts.push(...partsOf(part));
    return part;
  });
  return parts;
}

/** References that lead on to references deeper than this are followed no further. */
const MOST_DEEP = 100;

/**
 * Whether a value of the schema may hold a value of the same schema: a `$ref` that leads back to where it stands. Also for one
 * that nobody can follow.
 */
export function isRecursive(schema: JsonObject): boolean {
  const followed = new Set<string>();
  const leadsBack = (part: JsonValue, open: readonly string[]): boolean => {
    if (!isJsonObject(part)) return false;
    const { $ref } = part;
    if (typeof $ref === "string") {
      if (followed.has($ref)) return false;
      if (open.includes($ref) || open.length > MOST_DEEP) return true;
      const target = targetOf(schema, $ref);
      if (target === undefined || leadsBack(target, [...open, $ref])) return true;
      followed.add($ref);
      return false;
    }
    const { $defs: _, definitions: __, ...used } = part;
    let found = false;
    mapParts(used, (inner) => {
      found ||= leadsBack(inner, open);
      return inner;
    });
    return found;
  };
  return leadsBack(schema, ["#"]);
}

/** Undefined for a reference by anchor or id, which is not followed here. */
function targetOf(schema: JsonObject, ref: string): JsonValue | undefined {
  if (!ref.startsWith("#/")) return undefined;
  return ref
    .slice(2)
    .split("/")
    .map((step) => decoded(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<JsonValue | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), schema);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** What the answer is called, as every provider takes names. */
export function outputName({ title }: JsonObject): string {
  const name = typeof title === "string" ? title.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64) : "";
  return /[A-Za-z0-9]/.test(name) ? name : "answer";
}
