/** Structured output on the Chat Completions wire: `response_format`. */
import type { JsonObject } from "../core/json.js";
import { outputName } from "../core/schema-parts.js";

/** Undefined beside tools: Fireworks refuses both at once, and servers that force a grammar would never call a tool. */
export function chatFormat(schema: JsonObject, hasTools: boolean): JsonObject | undefined {
  if (hasTools) return undefined;
  return { type: "json_schema", json_schema: { name: outputName(schema), schema } };
}
