/** What the Responses API refuses in a strict schema, of a function or of the answer. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { WireIssue } from "../wire-issue.js";

/** Keywords that strict mode knows; others that constrain a value are refused. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"],
  ...["$ref", "$defs", "definitions", "title", "description", "pattern", "format", "default", "$schema"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
]);

/** Where the schema stands, and how the service calls it. */
export interface StrictPlace {
  /** `function 'lookup'`, `response_format 'answer'`. */
  readonly of: string;
  readonly path: string;
  readonly code: string;
}

/** Strict schemas are closed, and require every property, at every depth. */
export function checkStrict(
  schema: JsonObject,
  place: StrictPlace,
  context: readonly string[] = [],
): readonly WireIssue[] {
  const fault = faultOf(schema);
  if (fault === undefined) {
    return childrenOf(schema).flatMap(([steps, child]) => checkStrict(child, place, [...context, ...steps]));
  }
  const where = `In context=(${context.map((step) => `'${step}'`).join(", ")})`;
  return [
    { path: place.path, message: `Invalid schema for ${place.of}: ${where}, ${fault}`, code: place.code },
  ];
}

function faultOf(schema: JsonObject): string | undefined {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) return `'${unknown}' is not permitted.`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes("array") && schema.items === undefined) return "array schema missing items.";
  if (!types.includes("object")) {
    const says = ["type", "$ref", "anyOf", "enum", "const"].some((name) => schema[name] !== undefined);
    return says ? undefined : "schema must have a 'type' key.";
  }
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  const absent = Object.keys(properties).find((key) => !required.includes(key));
  if (absent === undefined) return undefined;
  return `'required' is required to be supplied and to be an array including every key in properties. Missing '${absent}'.`;
}

function childrenOf(schema: JsonObject): readonly (readonly [readonly string[], JsonObject])[] {
  const maps = ["properties", "$defs", "definitions"].flatMap((name) =>
    Object.entries(isJsonObject(schema[name]) ? schema[name] : {}).map(
      ([key, child]) => [[name, key], child] as const,
    ),
  );
  const choices = (Array.isArray(schema.anyOf) ? schema.anyOf : []).map(
    (child: JsonValue, index: number) => [["anyOf", String(index)], child] as const,
  );
  return [...maps, ...choices, [["items"], schema.items] as const].flatMap(([steps, child]) =>
    isJsonObject(child) ? [[steps, child] as const] : [],
  );
}
