/** The body of a Messages call. The history itself is never touched: caching marks stand in the request only. */
import type Anthropic from "@anthropic-ai/sdk";
import { anthropic } from "../core/dialects/anthropic/index.js";
import { mapPreserving } from "../core/dialects/map-preserving.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { anthropicFormat } from "./anthropic-output.js";
import type { ModelRequest } from "./provider.js";
import { toldOutput } from "./told-output.js";

/**
 * Output limits where the params name none: the default, and the most that the family takes. Long answers cost only
 * when they are given; but older models refuse input and `max_tokens` that together exceed the context.
 */
const OUTPUT_LIMITS: readonly (readonly [family: RegExp, standard: number, most: number])[] = [
  [/^claude-3-5-/, 8_192, 8_192],
  [/^claude-3-7-/, 32_000, 64_000],
  [/^claude-(3-|2|instant)/, 4_096, 4_096],
  [/^claude-opus-4(-[01])?(-20\d{6})?$/, 32_000, 32_000],
];
const OTHER_LIMITS = [32_000, 64_000] as const;

const EPHEMERAL: JsonObject = { type: "ephemeral" };

/**
 * Agent's instructions, then the history's system text; blank ones are left out, for the API refuses them. Tools that
 * the params name (the vendor's own) stand behind the agent's. All other params pass through and win over defaults.
 */
export function anthropicRequest(given: ModelRequest): Anthropic.MessageStreamParams {
  const format = given.output === undefined ? undefined : anthropicFormat(given.model, given.output);
  const request = format === undefined ? toldOutput(given) : given;
  // What makes the call ours is not for the params to say.
  const { model: _model, messages: _messages, system: _system, stream: _stream, ...params } = request.params;
  const marker = cacheMarker(params);
  const system = systemBlocks(request);
  const tools = [...anthropic.toolDefinitions(request.tools), ...objects(params.tools)];
  const body = {
    max_tokens: defaultMaxTokens(request.model, params),
    ...params,
    ...(format === undefined ? {} : { output_config: { ...objectOr(params.output_config), format } }),
    model: request.model,
    ...(system.length === 0 ? {} : { system: markLast(system, marker) }),
    ...(tools.length === 0 ? {} : { tools: system.length === 0 ? markLast(tools, marker) : tools }),
    messages: markedMessages(request.messages as readonly JsonObject[], params.cache_control, marker),
  };
  // The history is checked where it enters, and the params are the caller's word: the API judges both.
  return body as unknown as Anthropic.MessageStreamParams;
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function defaultMaxTokens(model: string, params: JsonObject): number {
  const [, standard, most] = OUTPUT_LIMITS.find(([family]) => family.test(model)) ?? ["", ...OTHER_LIMITS];
  const thinking = isJsonObject(params.thinking) ? params.thinking.budget_tokens : undefined;
  if (typeof thinking !== "number") return standard;
  // The budget is part of `max_tokens` and has to be smaller.
  return Math.max(Math.min(thinking + standard, most), thinking + 1);
}

/** The history without the thinking of turns that have ended; in the running turn's tool rounds the API asks for it. */
export function withoutEarlierThinking(messages: readonly NativeMessage[]): readonly NativeMessage[] {
  const turn = messages.findLastIndex(anthropic.startsTurn);
  return withoutThinking(messages, (index) => index < turn);
}

/** The history without the thinking of other models: its signatures are bound to the model that made them. */
export function withoutForeignThinking(
  messages: readonly NativeMessage[],
  foreign: ReadonlySet<number>,
): readonly NativeMessage[] {
  return withoutThinking(messages, (index) => foreign.has(index));
}

/**
 * A message of thinking only goes as a whole: the API refuses an empty one and joins those that then meet. The very
 * same list where there is nothing to leave out.
 */
function withoutThinking(
  messages: readonly NativeMessage[],
  isLightened: (index: number) => boolean,
): readonly NativeMessage[] {
  const mapped = mapPreserving(messages, (message, index) => {
    if (!isLightened(index) || !Array.isArray(message.content)) return message;
    const content = message.content.filter((block) => !isThinking(block));
    return content.length === message.content.length ? message : { ...message, content };
  });
  if (mapped === messages) return messages;
  return mapped.filter(({ content }) => !Array.isArray(content) || content.length > 0);
}

function isThinking(block: JsonValue): boolean {
  return isJsonObject(block) && (block.type === "thinking" || block.type === "redacted_thinking");
}

function systemBlocks({ instructions, system }: ModelRequest): readonly JsonObject[] {
  return [instructions, system ?? ""]
    .filter((text) => text.trim() !== "")
    .map((text) => ({ type: "text", text: text.toWellFormed() }));
}

/** `cache_control` among the params: null turns caching off, an object says how long entries live. */
function cacheMarker({ cache_control }: JsonObject): JsonObject | undefined {
  if (cache_control === null) return undefined;
  return isJsonObject(cache_control) ? cache_control : EPHEMERAL;
}

function markLast(list: readonly JsonObject[], marker: JsonObject | undefined): readonly JsonObject[] {
  if (marker === undefined) return list;
  return list.map((entry, index) =>
    index === list.length - 1 && entry.cache_control === undefined
      ? { ...entry, cache_control: marker }
      : entry,
  );
}

/**
 * The messages with one mark at most, on the last one. Marks that came with the history are left out: more than four
 * in a request are refused, and so are longer-lived ones behind ours. With a mark for the whole request the API places
 * the last one itself.
 */
function markedMessages(
  messages: readonly JsonObject[],
  requestMarker: JsonValue | undefined,
  marker: JsonObject | undefined,
): readonly JsonObject[] {
  if (marker === undefined) return messages;
  const bare = messages.map(withoutMarks);
  const last = bare.at(-1);
  if (last?.role !== "user" || isJsonObject(requestMarker)) return bare;
  return [...bare.slice(0, -1), markedMessage(last, marker)];
}

function markedMessage(message: JsonObject, marker: JsonObject): JsonObject {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
  const last = blocks.at(-1);
  if (last === undefined || !isCacheable(last)) return message;
  return { ...message, content: [...blocks.slice(0, -1), { ...last, cache_control: marker }] };
}

function isCacheable({ type, text }: JsonObject): boolean {
  if (type === "text") return typeof text === "string" && text.trim() !== "";
  return type === "image" || type === "document" || type === "tool_result" || type === "search_result";
}

function withoutMarks(holder: JsonObject): JsonObject {
  const { cache_control, ...bare } = holder;
  const { content } = holder;
  const inner = Array.isArray(content)
    ? content.map((entry) => (isJsonObject(entry) ? withoutMarks(entry) : entry))
    : [];
  const changed = Array.isArray(content) && inner.some((entry, index) => entry !== content[index]);
  if (cache_control === undefined && !changed) return holder;
  return changed ? { ...bare, content: inner } : bare;
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
