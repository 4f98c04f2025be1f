/** What the keywords of one schema must be; the schemas below it are looked at by themselves. */
import type { JsonObject, JsonValue } from "../../core/json.js";

/** What a pattern may have: one that is longer is slow to compile, which nothing can cut off. */
const PATTERN_CHARACTERS = 1_000;

const LIST_OF_NAMES: JsonObject = { type: "array", items: { type: "string" } };
const TYPE_NAMES: JsonValue = ["null", "boolean", "object", "array", "number", "string", "integer"];
const SCHEMA: JsonObject = { type: ["object", "boolean"] };
const SCHEMAS: JsonObject = { type: "object", additionalProperties: SCHEMA };
const SCHEMA_LIST: JsonObject = { type: "array", minItems: 1, items: SCHEMA };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const NUMBER: JsonObject = { type: "number" };
const PATTERN: JsonObject = { type: "string", maxLength: PATTERN_CHARACTERS, format: "regex" };

/** The published meta-schema says it by dynamic references, which few validators follow. */
export const SCHEMA_KEYWORDS: JsonObject = {
  ...SCHEMA,
  properties: {
    type: {
      if: { type: "array" },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { minItems: 1, items: { enum: TYPE_NAMES } },
      else: { enum: TYPE_NAMES },
    },
    enum: { type: "array" },
    $ref: { type: "string" },
    // Of an earlier draft; the validator would follow it, also in a circle.
    $recursiveRef: false,
    format: { type: "string" },
    pattern: PATTERN,
    patternProperties: { ...SCHEMAS, propertyNames: PATTERN },
    required: LIST_OF_NAMES,
    dependentRequired: { type: "object", additionalProperties: LIST_OF_NAMES },
    dependencies: {
      type: "object",
      additionalProperties: { type: ["array", "object", "boolean"], items: { type: "string" } },
    },
    ...keywords(["properties", "$defs", "definitions", "dependentSchemas"], SCHEMAS),
    ...keywords(["allOf", "anyOf", "oneOf", "prefixItems"], SCHEMA_LIST),
    ...keywords(["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"], SCHEMA),
    ...keywords(["propertyNames", "contains", "not", "if", "then", "else"], SCHEMA),
    ...keywords(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], COUNT),
    ...keywords(["minContains", "maxContains"], COUNT),
    ...keywords(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], NUMBER),
    uniqueItems: { type: "boolean" },
  },
};

function keywords(names: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(names.map((name) => [name, schema]));
}
