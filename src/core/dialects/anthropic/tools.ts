/** Tools on Anthropic's wire: definitions in the request, results in the history. */
import type { ToolSpec } from "../../agent.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import type { ToolResult } from "../dialect.js";
import type { Message } from "./wire.js";

export function toolDefinitions(tools: readonly ToolSpec[]): readonly JsonObject[] {
  return tools.map(({ name, description, input_schema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: { type: "object", ...input_schema },
  }));
}

/** `any` and `tool` demand a call, on every call of the model. */
export function withFreeToolChoice(params: JsonObject): JsonObject {
  const { tool_choice: choice } = params;
  if (!isJsonObject(choice) || (choice.type !== "any" && choice.type !== "tool")) return params;
  const { name: _, ...rest } = choice;
  return { ...params, tool_choice: { ...rest, type: "auto" } };
}

/** All results of a round stand in one user message. Blank content is left out: the API refuses blank text. */
export function toolResultMessages(results: readonly ToolResult[]): readonly Message[] {
  if (results.length === 0) return [];
  const blocks = results.map(({ call, output, is_error }) => {
    const content = (typeof output === "string" ? output : JSON.stringify(output)).toWellFormed();
    return {
      type: "tool_result",
      tool_use_id: call.id,
      ...(content.trim() === "" ? {} : { content }),
      ...(is_error ? { is_error } : {}),
    };
  });
  return [{ role: "user", content: blocks }];
}
