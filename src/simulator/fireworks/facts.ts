/** What a Chat Completions request holds, for the replies. */
import { toldSchemaIn } from "../../core/dialects/told-schema.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { parseDataUrl } from "../data-url.js";
import {
  type AttachmentFact,
  factsOf,
  objectsIn,
  type RequestFacts,
  type SeenMessage,
} from "../request-facts.js";
import { base64Bytes, countMediaTokens, countTextTokens } from "../token-estimate.js";

export function factsFrom(request: JsonObject): RequestFacts {
  const messages = objectsIn(request.messages);
  const instructions = messages.filter(({ role }) => role === "system" || role === "developer");
  const rest = messages.filter((message) => !instructions.includes(message));
  const names = callNames(rest);
  return factsOf({
    model: String(request.model),
    stream: request.stream === true,
    reasoning: wantsReasoning(request),
    output: outputIn(request, instructions),
    cache: "automatic",
    tools: objectsIn(request.tools)
      .map((tool) => tool.function)
      .filter(isJsonObject)
      .map((tool) => ({ name: String(tool.name), schema: tool.parameters })),
    prefixTokens: tokensIn(instructions) + tokensIn(request.tools),
    messages: rest.map((message) => seenIn(message, names)),
  });
}

function outputIn(
  { response_format: format }: JsonObject,
  instructions: readonly JsonObject[],
): JsonValue | undefined {
  const asked = isJsonObject(format) ? format.json_schema : undefined;
  if (isJsonObject(asked)) return asked.schema;
  const texts = instructions.flatMap(({ content }) => partsIn(content)).map(({ text }) => String(text));
  return toldSchemaIn(texts.join("\n"));
}

export function inputTokens(request: JsonObject): number {
  return tokensIn(request.messages) + tokensIn(request.tools);
}

export function partsIn(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
}

/** Calls of all assistant messages, in order. */
export function callsIn(messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages.flatMap((message) => objectsIn(message.tool_calls));
}

function wantsReasoning({ reasoning_effort: effort, thinking }: JsonObject): boolean {
  if (isJsonObject(thinking)) return thinking.type === "enabled";
  return typeof effort === "string" && effort !== "none";
}

function callNames(messages: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(
    callsIn(messages).map(({ id, function: called }) => [
      String(id),
      isJsonObject(called) ? String(called.name) : "",
    ]),
  );
}

function seenIn(message: JsonObject, names: ReadonlyMap<string, string>): SeenMessage {
  const text = partsIn(message.content)
    .filter(({ type }) => type === "text")
    .map((part) => String(part.text))
    .join("\n");
  const id = String(message.tool_call_id);
  return {
    question: message.role === "user",
    text,
    attachments: partsIn(message.content).flatMap(attachmentIn),
    toolResults: message.role === "tool" ? [{ name: names.get(id) ?? id, text }] : [],
    tokens: tokensIn(message),
  };
}

function attachmentIn(part: JsonObject): readonly AttachmentFact[] {
  const holder = [part.image_url, part.video_url, part.file].find(isJsonObject);
  const url = holder?.url ?? holder?.file_data;
  const parsed = typeof url === "string" ? parseDataUrl(url) : undefined;
  if (parsed === undefined) return [];
  const name = typeof holder?.filename === "string" ? { name: holder.filename } : {};
  return [{ mimeType: parsed.mediaType, sizeBytes: base64Bytes(parsed.data), data: parsed.data, ...name }];
}

/** Walks the value; a data URL counts as media, not as text. */
function tokensIn(value: JsonValue | undefined): number {
  if (typeof value === "string") {
    const media = value.startsWith("data:") ? parseDataUrl(value) : undefined;
    if (media !== undefined) return countMediaTokens(media.mediaType, base64Bytes(media.data));
    return countTextTokens(value);
  }
  if (Array.isArray(value)) return value.reduce((sum: number, item: JsonValue) => sum + tokensIn(item), 0);
  if (!isJsonObject(value)) return value === undefined ? 0 : 1;
  return Object.values(value).reduce((sum: number, item) => sum + tokensIn(item), 0);
}
