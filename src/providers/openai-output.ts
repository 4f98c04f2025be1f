/** Structured output on the Responses wire: `text.format`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { mapParts, outputName, partsOf } from "../core/schema-parts.js";

/** Models from before structured output refuse the format. */
const WITHOUT = /^(gpt-3|gpt-4(-|$)|o1-(mini|preview))/;

/** What a strict schema may hold, of all keywords that say something about the value. */
const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"],
  ...["$ref", "$defs", "definitions", "title", "description", "pattern", "format"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
]);
const STRICT_FORMATS: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);
const STRICT_PROPERTIES = 5_000;
const STRICT_DEPTH = 10;

/**
 * The format, or undefined where the service takes none: its schema has to be of an object. Strict where the schema allows it:
 * every key is required and only known keywords stand in it. Then objects that are open are closed in the request, which an
 * answer that fits does not notice. Otherwise the schema goes as it is, and the service is not held to it.
 */
export function openaiFormat(model: string, schema: JsonObject): JsonObject | undefined {
  if (WITHOUT.test(model) || schema.type !== "object") return undefined;
  const closed = close(schema);
  const strict = isJsonObject(closed) && isStrict(closed);
  return { type: "json_schema", name: outputName(schema), schema: strict ? closed : schema, strict };
}

function close(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const closed = mapParts(part, close);
  const isOpen =
    part.type === "object" && isJsonObject(part.properties) && part.additionalProperties === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function isStrict(schema: JsonObject): boolean {
  const parts = partsOf(schema);
  const properties = parts.reduce<number>((sum, part) => sum + keysOf(part).length, 0);
  return properties <= STRICT_PROPERTIES && depthOf(schema) <= STRICT_DEPTH && parts.every(isStrictPart);
}

function isStrictPart(part: JsonValue): boolean {
  if (!isJsonObject(part)) return part === false;
  if (!Object.keys(part).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  if (part.format !== undefined && !STRICT_FORMATS.has(part.format)) return false;
  const types = Array.isArray(part.type) ? part.type : [part.type];
  if (types.includes("array") && !isJsonObject(part.items)) return false;
  if (!types.includes("object")) return part.type !== undefined || isTyped(part);
  const required = Array.isArray(part.required) ? part.required : [];
  return part.additionalProperties === false && keysOf(part).every((key) => required.includes(key));
}

function isTyped(part: JsonObject): boolean {
  return ["$ref", "anyOf", "enum", "const"].some((keyword) => part[keyword] !== undefined);
}

function keysOf(part: JsonValue): readonly string[] {
  return isJsonObject(part) && isJsonObject(part.properties) ? Object.keys(part.properties) : [];
}

function depthOf(part: JsonValue): number {
  if (!isJsonObject(part)) return 0;
  let deepest = 0;
  mapParts(part, (inner) => {
    deepest = Math.max(deepest, depthOf(inner));
    return inner;
  });
  return deepest + 1;
}
