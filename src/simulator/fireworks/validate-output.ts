/** `response_format` of a Chat Completions request. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { WireIssue } from "../wire-issue.js";
import { issue } from "./validate-message.js";

const TYPES: readonly unknown[] = ["text", "json_object", "json_schema", "grammar"];

export function checkOutput(body: JsonObject): readonly WireIssue[] {
  const { response_format: format } = body;
  if (format === undefined || format === null) return [];
  if (!isJsonObject(format)) return [issue("response_format", "Input should be a valid dictionary")];
  if (!TYPES.includes(format.type)) {
    return [
      issue("response_format.type", "Input should be 'text', 'json_object', 'json_schema' or 'grammar'"),
    ];
  }
  if (format.type !== "text" && objectsIn(body.tools).length > 0) {
    const message = "You cannot specify response format and function call at the same time";
    return [{ path: "response_format", message }];
  }
  if (format.type !== "json_schema") return [];
  const schema = isJsonObject(format.json_schema) ? format.json_schema : undefined;
  if (schema === undefined) return [issue("response_format.json_schema", "Field required")];
  if (typeof schema.name !== "string") return [issue("response_format.json_schema.name", "Field required")];
  return isJsonObject(schema.schema)
    ? []
    : [issue("response_format.json_schema.schema", "Input should be a valid dictionary")];
}
