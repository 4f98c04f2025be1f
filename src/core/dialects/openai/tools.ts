/** Tools on the Responses wire: definitions in the request, outputs in the history. */
import type { ToolSpec } from "../../agent.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import type { ToolResult } from "../dialect.js";
import type { Item } from "./wire.js";

/** Not strict: strict mode takes only a part of JSON Schema, and the API would apply it where nothing is said. */
export function toolDefinitions(tools: readonly ToolSpec[]): readonly JsonObject[] {
  return tools.map(({ name, description, input_schema }) => ({
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    parameters: input_schema ?? { type: "object", properties: {} },
    strict: false,
  }));
}

/** `required` and a named tool demand a call, on every call of the model; a list of allowed ones may. */
export function withFreeToolChoice(params: JsonObject): JsonObject {
  const { tool_choice: choice } = params;
  if (choice === "required") return { ...params, tool_choice: "auto" };
  if (!isJsonObject(choice)) return params;
  if (choice.type !== "allowed_tools") return { ...params, tool_choice: "auto" };
  return choice.mode === "required" ? { ...params, tool_choice: { ...choice, mode: "auto" } } : params;
}

/** One item a result, of the kind that its call asks for. The wire has no flag for an error: the output itself has to say it. */
export function toolResultMessages(results: readonly ToolResult[]): readonly Item[] {
  return results.map(({ call, output }) => ({
    type: call.answer ?? "function_call_output",
    call_id: call.id,
    output: (typeof output === "string" ? output : JSON.stringify(output)).toWellFormed(),
  }));
}
