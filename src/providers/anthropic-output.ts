/** Structured output on the Messages wire: `output_config.format`. */
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { isRecursive, partsOf } from "../core/schema-parts.js";

/** Models from before structured output refuse the format. */
const WITHOUT = /^claude-([123]|instant|(opus|sonnet)-4(-0)?(-20\d{6})?$)/;

const SCALARS: readonly unknown[] = ["string", "number", "integer", "boolean", "null"];

/**
 * The format, or undefined where the service cannot take the schema: objects with keys that are not named, recursion, tuples, parts
 * without a type. The SDK closes objects and moves what the service does not know (bounds, patterns) into descriptions.
 */
export function anthropicFormat(model: string, schema: JsonObject): JsonObject | undefined {
  if (WITHOUT.test(model) || isRecursive(schema) || !partsOf(schema).every(isTaken)) return undefined;
  return { type: "json_schema", schema: transformJSONSchema({ ...schema }) as JsonObject };
}

function isTaken(part: JsonValue): boolean {
  // `additionalProperties: false` is a part as well.
  if (!isJsonObject(part)) return part === false;
  const { type, enum: values, const: value, anyOf, oneOf, allOf, $ref, definitions, $id, $anchor } = part;
  if ([definitions, $id, $anchor].some((keyword) => keyword !== undefined)) return false;
  if ($ref !== undefined) return true;
  if (Array.isArray(values)) return values.every((one) => typeof one !== "object" || one === null);
  if (value !== undefined) return typeof value !== "object" || value === null;
  if (anyOf !== undefined || oneOf !== undefined) return true;
  if (allOf !== undefined) return Array.isArray(allOf) && !JSON.stringify(allOf).includes('"$ref"');
  if (type === "object") return isNamed(part);
  if (type === "array") return isJsonObject(part.items) && part.prefixItems === undefined;
  return Array.isArray(type) ? type.every((name) => SCALARS.includes(name)) : SCALARS.includes(type);
}

/** An object all of whose keys the schema names: it is closed in the request, which an answer that fits does not notice. */
function isNamed({ properties, additionalProperties: others, patternProperties }: JsonObject): boolean {
  return isJsonObject(properties) && (others ?? false) === false && patternProperties === undefined;
}
