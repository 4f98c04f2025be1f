/** What a Responses request holds, for the replies. */
import { toldSchemaIn } from "../../core/dialects/told-schema.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { parseDataUrl } from "../data-url.js";
import {
  type AttachmentFact,
  asText,
  factsOf,
  objectsIn,
  type RequestFacts,
  type SeenMessage,
} from "../request-facts.js";
import { base64Bytes, countMediaTokens, countTextTokens } from "../token-estimate.js";
import { itemsIn, partsIn, typeOf, wantsReasoning } from "./items.js";

export function factsFrom(request: JsonObject): RequestFacts {
  const items = itemsIn(request.input).filter((item) => typeOf(item) !== "reasoning");
  const calls = items.filter((item) => typeOf(item).endsWith("_call"));
  const names = new Map(calls.map(({ call_id: id, name }) => [String(id), String(name)]));
  return factsOf({
    model: String(request.model),
    stream: request.stream === true,
    reasoning: wantsReasoning(request),
    output: outputIn(request),
    cache: "automatic",
    tools: objectsIn(request.tools)
      .filter(({ type }) => type === "function")
      .map((tool) => ({ name: String(tool.name), schema: tool.parameters })),
    prefixTokens: tokensIn(request.instructions) + tokensIn(request.tools),
    messages: items.map((item) => seenIn(item, names)),
  });
}

function outputIn({ text, instructions }: JsonObject): JsonValue | undefined {
  const format = isJsonObject(text) ? text.format : undefined;
  if (isJsonObject(format) && format.type === "json_schema") return format.schema;
  return typeof instructions === "string" ? toldSchemaIn(instructions) : undefined;
}

export function inputTokens(request: JsonObject): number {
  return tokensIn(request.instructions) + tokensIn(request.tools) + tokensIn(request.input);
}

function seenIn(item: JsonObject, names: ReadonlyMap<string, string>): SeenMessage {
  const result = /_call_output$/.test(typeOf(item));
  const parts = partsIn(result ? item.output : item.content);
  const text = textIn(parts);
  const name = names.get(String(item.call_id)) ?? String(item.call_id);
  return {
    question: item.role === "user",
    text,
    attachments: parts.flatMap(attachmentsIn),
    toolResults: result ? [{ name, text: text || asText(item.output) }] : [],
    tokens: tokensIn(item),
  };
}

function textIn(parts: readonly JsonObject[]): string {
  return parts
    .filter(({ text }) => typeof text === "string")
    .map(({ text }) => String(text))
    .join("\n");
}

function attachmentsIn(part: JsonObject): readonly AttachmentFact[] {
  const url = part.type === "input_image" ? part.image_url : part.file_data;
  const parsed = typeof url === "string" ? parseDataUrl(url) : undefined;
  if (parsed === undefined) return [];
  const { mediaType, data } = parsed;
  const name = typeof part.filename === "string" ? { name: part.filename } : {};
  return [{ mimeType: mediaType, sizeBytes: base64Bytes(data), data, ...name }];
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
