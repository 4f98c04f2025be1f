/** Tools on the Responses wire: definitions in the request, outputs in the history. */
import type { ToolSpec } from "../../agent.js";
import type { JsonObject } from "../../json.js";
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

/** One item a result. The wire has no flag for an error: the output itself has to say it. */
export function toolResultMessages(results: readonly ToolResult[]): readonly Item[] {
  return results.map(({ call, output }) => ({
    type: "function_call_output",
    call_id: call.id,
    output: (typeof output === "string" ? output : JSON.stringify(output)).toWellFormed(),
  }));
}
