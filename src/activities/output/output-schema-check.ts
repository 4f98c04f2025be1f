/** A JSON Schema against which answers are checked, and whether it is one at all (decision 0028). */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { JsonObject, JsonValue } from "../../core/json.js";

const DRAFT = "2020-12";
const FAULT_CHARACTERS = 200;
const ENDLESS = "A $ref of the schema leads back to itself without end.";

/** Keywords whose fault says no more than that something below them is wrong. */
const CARRIERS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Within a choice: that no part of it fits says it all. A property may have the name of a keyword. */
const ALTERNATIVE = /(?<!\/(properties|\$defs|definitions))\/(anyOf|oneOf|not|contains)\/./;

const LIST_OF_NAMES: JsonObject = { type: "array", items: { type: "string" } };
const TYPE_NAMES: JsonValue = ["null", "boolean", "object", "array", "number", "string", "integer"];
const SCHEMAS: JsonObject = { type: "object", additionalProperties: { $ref: "#" } };
const SCHEMA_LIST: JsonObject = { type: "array", minItems: 1, items: { $ref: "#" } };
const SCHEMA: JsonObject = { $ref: "#" };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const NUMBER: JsonObject = { type: "number" };

/** What the keywords of a schema must be; the published meta-schema says it by dynamic references, which few validators follow. */
const META: JsonObject = {
  type: ["object", "boolean"],
  properties: {
    type: {
      if: { type: "array" },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { minItems: 1, items: { enum: TYPE_NAMES } },
      else: { enum: TYPE_NAMES },
    },
    enum: { type: "array" },
    $ref: { type: "string" },
    format: { type: "string" },
    pattern: { type: "string", format: "regex" },
    required: LIST_OF_NAMES,
    ...keywords(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], SCHEMAS),
    ...keywords(["allOf", "anyOf", "oneOf", "prefixItems"], SCHEMA_LIST),
    ...keywords(["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"], SCHEMA),
    ...keywords(["propertyNames", "contains", "not", "if", "then", "else"], SCHEMA),
    ...keywords(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], COUNT),
    ...keywords(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], NUMBER),
    uniqueItems: { type: "boolean" },
  },
};

function keywords(names: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

export class OutputSchemaCheck {
  readonly schema: JsonObject;
  readonly #validator: Validator;

  constructor(schema: JsonObject) {
    this.schema = schema;
    this.#validator = validatorOf(schema);
  }

  /** What is wrong, each as a JSON pointer and a sentence; empty for a value that fits. */
  faults(value: JsonValue): readonly string[] {
    const errors = this.#errors(value);
    const leaves = errors.filter((error) => !isCarried(error));
    return [...new Set((leaves.length === 0 ? errors : leaves).map(faultLine))];
  }

  #errors(value: JsonValue): readonly OutputUnit[] {
    try {
      return this.#validator.validate(value).errors;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ keyword: "$schema", keywordLocation: "#", instanceLocation: "#", error: ENDLESS }];
    }
  }
}

/** Why a value that passes `outputSchemaIssue` is no JSON Schema, in one line; undefined where it is one. */
export function outputSchemaFault(schema: JsonObject): string | undefined {
  const [fault] = new OutputSchemaCheck(META).faults(schema);
  if (fault !== undefined) return fault;
  try {
    const validator = validatorOf(schema);
    const { lookup } = validator as unknown as {
      readonly lookup: Readonly<Record<string, Schema>>;
    };
    const lost = Object.values(lookup).find(
      ({ __absolute_ref__: target }) => target !== undefined && lookup[target] === undefined,
    );
    if (lost !== undefined) return `$ref ${JSON.stringify(lost.$ref)} leads nowhere within the schema.`;
    validator.validate(null);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return ENDLESS;
    return error instanceof Error ? error.message : String(error);
  }
}

/** The validator writes into what it is given. */
function validatorOf(schema: JsonObject): Validator {
  return new Validator(structuredClone(schema) as Schema, DRAFT, false);
}

function isCarried({ keyword, keywordLocation }: OutputUnit): boolean {
  return CARRIERS.has(keyword) || ALTERNATIVE.test(keywordLocation);
}

function faultLine({ instanceLocation, keyword, error: said }: OutputUnit): string {
  const error = keyword === "false" ? "Nothing may stand here." : said;
  const pointer = instanceLocation.replace(/^#/, "");
  const text =
    error.length <= FAULT_CHARACTERS ? error : `${error.slice(0, FAULT_CHARACTERS).toWellFormed()}…`;
  return `${pointer === "" ? "(the whole value)" : pointer.slice(0, FAULT_CHARACTERS)}: ${text}`;
}
