/** `text` of a Responses request. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { WireIssue } from "../wire-issue.js";
import { invalid, invalidType, invalidValue, missing, unknownParameter } from "./issues.js";
import { checkStrict } from "./strict-schema.js";

const FIELDS: readonly string[] = ["format", "verbosity"];
const TYPES: readonly string[] = ["text", "json_schema", "json_object"];
const FORMAT_FIELDS: readonly string[] = ["type", "name", "schema", "description", "strict"];
const NAME = /^[a-zA-Z0-9_-]+$/;
const MAXIMUM_NAME = 64;
const WITHOUT = /^(gpt-3|gpt-4(-|$)|o1-(mini|preview))/;

export function checkOutput(body: JsonObject): readonly WireIssue[] {
  const { text } = body;
  if (!isJsonObject(text)) return [];
  const extra = Object.keys(text).filter((key) => !FIELDS.includes(key));
  if (extra.length > 0) return extra.map((key) => unknownParameter(`text.${key}`));
  const { format } = text;
  if (format === undefined || format === null) return [];
  if (!isJsonObject(format)) return [invalidType("text.format", "an object", format)];
  if (typeof format.type !== "string") return [missing("text.format.type")];
  if (!TYPES.includes(format.type)) return [invalidValue("text.format.type", format.type, TYPES)];
  return format.type === "json_schema" ? checkJsonSchema(format, String(body.model)) : [];
}

function checkJsonSchema(format: JsonObject, model: string): readonly WireIssue[] {
  if (WITHOUT.test(model)) {
    const message = `Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model (${model}).`;
    return [{ path: "text.format.type", message, code: "unsupported_parameter" }];
  }
  const extra = Object.keys(format).filter((key) => !FORMAT_FIELDS.includes(key));
  if (extra.length > 0) return extra.map((key) => unknownParameter(`text.format.${key}`));
  const { name, schema, strict } = format;
  if (typeof name !== "string") return [missing("text.format.name")];
  if (!NAME.test(name) || name.length > MAXIMUM_NAME) {
    const sentence = `string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
    return [invalid("text.format.name", sentence)];
  }
  if (schema === undefined) return [missing("text.format.schema")];
  if (!isJsonObject(schema)) return [invalidType("text.format.schema", "an object", schema)];
  const place = {
    of: `response_format '${name}'`,
    path: "text.format.schema",
    code: "invalid_json_schema",
  };
  if (schema.type !== "object") {
    const found = typeof schema.type === "string" ? schema.type : "None";
    const message = `Invalid schema for ${place.of}: schema must be a JSON Schema of 'type: "object"', got 'type: "${found}"'.`;
    return [{ path: place.path, message, code: place.code }];
  }
  return strict === true ? checkStrict(schema, place) : [];
}
