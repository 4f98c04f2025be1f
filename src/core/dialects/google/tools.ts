/** Tools on Gemini's wire: declarations in the request, responses in the history. */
import type { ToolSpec } from "../../agent.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { ToolResult } from "../dialect.js";
import type { Content, FunctionCall } from "./wire.js";

/** Gemini's ids are optional. An id made here is for our own books only and never goes on the wire: both sides would have to carry it. */
const MADE_ID = "holdfast-call-";

export function isMadeId(id: string): boolean {
  return id.startsWith(MADE_ID);
}

export function idOfCall(call: FunctionCall, position: number): string {
  return call.id ? call.id : `${MADE_ID}${position}`;
}

/** All functions stand in one tool. */
export function toolDefinitions(tools: readonly ToolSpec[]): readonly JsonObject[] {
  if (tools.length === 0) return [];
  const functionDeclarations = tools.map(({ name, description, input_schema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(input_schema === undefined ? {} : { parametersJsonSchema: input_schema }),
  }));
  return [{ functionDeclarations }];
}

/** The mode `ANY` demands a call, on every call of the model; only it takes a list of allowed names. */
export function withFreeToolChoice(params: JsonObject): JsonObject {
  const { toolConfig: config } = params;
  const calling = isJsonObject(config) ? config.functionCallingConfig : undefined;
  if (!isJsonObject(config) || !isJsonObject(calling) || calling.mode !== "ANY") return params;
  const { allowedFunctionNames: _, ...rest } = calling;
  return { ...params, toolConfig: { ...config, functionCallingConfig: { ...rest, mode: "AUTO" } } };
}

/** One user content that holds nothing but the responses: N calls must be followed by exactly N of them. */
export function toolResultMessages(results: readonly ToolResult[]): readonly Content[] {
  if (results.length === 0) return [];
  const parts = results.map(({ call, output, is_error }) => ({
    functionResponse: {
      ...(isMadeId(call.id) ? {} : { id: call.id }),
      name: call.name,
      response: is_error ? { error: wellFormed(output) } : { output: wellFormed(output) },
    },
  }));
  return [{ role: "user", parts }];
}

/** Tools return text from anywhere; the wire refuses half a character. */
function wellFormed(output: JsonValue): JsonValue {
  return typeof output === "string" ? output.toWellFormed() : output;
}
