/** The tools of a Responses request. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { WireIssue } from "../wire-issue.js";
import { invalid, invalidType, missing } from "./issues.js";
import { checkStrict } from "./strict-schema.js";

const NAME = /^[a-zA-Z0-9_-]+$/;
const MAXIMUM_NAME = 64;

export function checkTools(body: JsonObject): readonly WireIssue[] {
  const tools = Array.isArray(body.tools) ? (body.tools as readonly JsonValue[]) : [];
  const names = objectsIn(tools).map(({ name }) => name);
  return [...tools.flatMap(checkTool), ...checkChoice(body.tool_choice, names)];
}

function checkTool(tool: JsonValue, index: number): readonly WireIssue[] {
  const path = `tools.${index}`;
  if (!isJsonObject(tool)) return [invalidType(path, "an object", tool)];
  if (tool.type === undefined) return [missing(`${path}.type`)];
  if (tool.type !== "function") return [];
  const { name, parameters, strict } = tool;
  if (typeof name !== "string") return [missing(`${path}.name`)];
  if (!NAME.test(name) || name.length > MAXIMUM_NAME) {
    const sentence = `string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
    return [invalid(`${path}.name`, sentence)];
  }
  if (parameters === undefined || parameters === null) return [];
  return checkSchema(name, parameters, strict === true, `${path}.parameters`);
}

function checkSchema(name: string, schema: JsonValue, strict: boolean, path: string): readonly WireIssue[] {
  if (!isJsonObject(schema) || schema.type !== "object") {
    const found = isJsonObject(schema) && typeof schema.type === "string" ? schema.type : "None";
    const message = `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${found}"'.`;
    return [{ path, message, code: "invalid_function_parameters" }];
  }
  const place = { of: `function '${name}'`, path, code: "invalid_function_parameters" };
  return strict ? checkStrict(schema, place) : [];
}

function checkChoice(choice: JsonValue | undefined, names: readonly unknown[]): readonly WireIssue[] {
  if (!isJsonObject(choice) || choice.type !== "function" || names.includes(choice.name)) return [];
  const message = `Tool choice '${String(choice.name)}' not found in 'tools' parameter.`;
  return [{ path: "tool_choice", message, code: "invalid_value" }];
}
