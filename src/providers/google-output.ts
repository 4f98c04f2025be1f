/** Structured output on Gemini's wire: `responseJsonSchema` and its MIME type. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { isRecursive, mapParts } from "../core/schema-parts.js";

/** Of Gemini 3 and later: JSON answers together with tools. */
const BESIDE_TOOLS = /^gemini-([3-9]|\d\d)/;

/**
 * The fields, or undefined where the service cannot take them: recursion, a model that takes no schema, and one that takes none
 * beside tools. Keywords that the service does not know stay in; it passes them over.
 */
export function googleFormat(model: string, schema: JsonObject, hasTools: boolean): JsonObject | undefined {
  if (!model.startsWith("gemini-") || (hasTools && !BESIDE_TOOLS.test(model))) return undefined;
  if (isRecursive(schema)) return undefined;
  return { responseMimeType: "application/json", responseJsonSchema: bareReferences(schema) };
}

/** Beside a `$ref` nothing may stand but what begins with `$`. */
function bareReferences(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const bare =
    part.$ref === undefined
      ? part
      : Object.fromEntries(Object.entries(part).filter(([keyword]) => keyword.startsWith("$")));
  return mapParts(bare, bareReferences);
}
