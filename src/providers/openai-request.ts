/** The body of a Responses call. Stateless: the whole history goes along, and nothing is kept on the other side. */
import type OpenAI from "openai";
import { openai } from "../core/dialects/openai/index.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { openaiFormat } from "./openai-output.js";
import type { ModelRequest } from "./provider.js";
import { toldOutput } from "./told-output.js";

const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** Models that think: the others refuse reasoning items in the input, and to be asked for encrypted reasoning. */
export function isReasoningModel(model: string): boolean {
  return /^(o\d|gpt-|codex-|computer-use-)/.test(model) && !/^gpt-(3|4|5(\.\d+)?-chat)/.test(model);
}

/**
 * Blank instructions are left out. Tools that the params name (the vendor's own) stand behind the agent's. All other
 * params pass through and win over defaults, but for those that would have the service keep the history.
 */
export function openaiRequest(given: ModelRequest): OpenAI.Responses.ResponseCreateParamsStreaming {
  const format = given.output === undefined ? undefined : openaiFormat(given.model, given.output);
  const request = format === undefined ? toldOutput(given) : given;
  const {
    model: _model,
    input: _input,
    instructions: _instructions,
    stream: _stream,
    background: _background,
    conversation: _conversation,
    previous_response_id: _previous,
    ...params
  } = request.params;
  const instructions = instructionsOf(request);
  const tools = [...openai.toolDefinitions(request.tools), ...list(params.tools)];
  const thinks = isReasoningModel(request.model);
  const include = new Set([...(thinks ? [ENCRYPTED_REASONING] : []), ...list(params.include)]);
  const body = {
    store: false,
    ...params,
    ...(include.size === 0 ? {} : { include: [...include] }),
    ...(format === undefined ? {} : { text: { ...(isJsonObject(params.text) ? params.text : {}), format } }),
    model: request.model,
    ...(instructions === "" ? {} : { instructions }),
    ...(tools.length === 0 ? {} : { tools }),
    input: thinks ? request.messages : withoutReasoning(request.messages),
    stream: true,
  };
  // The history is checked where it enters, and the params are the caller's word: the API judges both.
  return body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming;
}

/**
 * The history without reasoning items. What followed one loses its id: an item that carries its id is refused without
 * the reasoning before it. The very same list where there is no reasoning.
 */
export function withoutReasoning(messages: readonly NativeMessage[]): readonly NativeMessage[] {
  if (!messages.some(({ type }) => type === "reasoning")) return messages;
  return messages.filter(({ type }) => type !== "reasoning").map(withoutItemId);
}

/**
 * The history without the reasoning items of other models, and without the ids that ask for them. The very same list
 * where there is none.
 */
export function withoutForeignReasoning(
  messages: readonly NativeMessage[],
  foreign: ReadonlySet<number>,
): readonly NativeMessage[] {
  const isLeftOut = ({ type }: NativeMessage, index: number): boolean =>
    type === "reasoning" && foreign.has(index);
  if (!messages.some(isLeftOut)) return messages;
  return messages.flatMap((item, index) => {
    if (isLeftOut(item, index)) return [];
    return [foreign.has(index) ? withoutItemId(item) : item];
  });
}

export function withoutItemId(item: JsonObject): JsonObject {
  if (item.type !== "message" && item.type !== "function_call") return item;
  const { id: _, ...bare } = item;
  return bare;
}

function instructionsOf({ instructions, system }: ModelRequest): string {
  return [instructions, system ?? ""]
    .filter((text) => text.trim() !== "")
    .join("\n\n")
    .toWellFormed();
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value)
    ? value.filter((entry) => typeof entry === "string" || isJsonObject(entry))
    : [];
}
