/** Tools on the Chat Completions wire. */
import type { ToolSpec } from "../../agent.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import type { ToolResult } from "../dialect.js";
import type { ChatMessage } from "./wire.js";

export function toolDefinitions(tools: readonly ToolSpec[]): readonly JsonObject[] {
  return tools.map(({ name, description, input_schema }) => ({
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(input_schema === undefined ? {} : { parameters: input_schema }),
    },
  }));
}

/** `required`, `any` and a named function demand a call, on every call of the model. */
export function withFreeToolChoice(params: JsonObject): JsonObject {
  const { tool_choice: choice } = params;
  const demands = choice === "required" || choice === "any" || isJsonObject(choice);
  return demands ? { ...params, tool_choice: "auto" } : params;
}

/** One message a result, content as a string. The wire has no mark for an error: the text has to say it. */
export function toolResultMessages(results: readonly ToolResult[]): readonly ChatMessage[] {
  return results.map(({ call, output }) => ({
    role: "tool",
    tool_call_id: call.id,
    content: (typeof output === "string" ? output : JSON.stringify(output)).toWellFormed(),
  }));
}
