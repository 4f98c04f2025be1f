/** What a Messages request holds, for the replies. */
import { toldSchemaIn } from "../../core/dialects/told-schema.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import {
  type AttachmentFact,
  asText,
  factsOf,
  objectsIn,
  type RequestFacts,
  type ToolResultFact,
} from "../request-facts.js";
import { base64Bytes, countMediaTokens, countTextTokens } from "../token-estimate.js";

export function factsFrom(request: JsonObject): RequestFacts {
  const messages = objectsIn(request.messages);
  const names = toolNames(messages);
  return factsOf({
    model: String(request.model),
    stream: request.stream === true,
    reasoning: wantsThinking(request),
    output: outputIn(request),
    cache: cacheMarks(request) > 0 ? "explicit" : "off",
    tools: objectsIn(request.tools).map((tool) => ({ name: String(tool.name), schema: tool.input_schema })),
    prefixTokens: tokensIn(request.system) + tokensIn(request.tools),
    messages: messages.map((message) => ({
      question: isQuestion(message),
      text: textIn(message.content),
      attachments: attachmentsIn(message.content),
      toolResults: resultsIn(message, names),
      tokens: tokensIn(message.content),
    })),
  });
}

function outputIn({ output_config: config, system }: JsonObject): JsonValue | undefined {
  const format = isJsonObject(config) ? config.format : undefined;
  return isJsonObject(format) ? format.schema : toldSchemaIn(textIn(system));
}

/** Estimated tokens of the whole request. */
export function inputTokens(request: JsonObject): number {
  return tokensIn(request.system) + tokensIn(request.tools) + tokensIn(request.messages);
}

/** Blocks of a message's content; a bare text is one text block. */
export function blocksIn(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
}

/** Blocks of all messages and of the results in them. */
export function allBlocks(request: JsonObject): readonly JsonObject[] {
  const blocks = objectsIn(request.messages).flatMap(({ content }) => blocksIn(content));
  return blocks.flatMap((block) =>
    block.type === "tool_result" ? [block, ...objectsIn(block.content)] : [block],
  );
}

/** How many places of the request ask for the cache. */
export function cacheMarks(request: JsonObject): number {
  return [...allBlocks(request), ...objectsIn(request.tools), ...blocksIn(request.system), request].filter(
    ({ cache_control: mark }) => mark !== undefined && mark !== null,
  ).length;
}

function isQuestion(message: JsonObject): boolean {
  return message.role === "user" && blocksIn(message.content).some(({ type }) => type !== "tool_result");
}

function textIn(content: JsonValue | undefined): string {
  return blocksIn(content)
    .filter(({ type }) => type === "text")
    .map(({ text }) => String(text))
    .join("\n");
}

function attachmentsIn(content: JsonValue | undefined): readonly AttachmentFact[] {
  return blocksIn(content).flatMap((block) => {
    if (block.type === "tool_result") return attachmentsIn(block.content);
    if (block.type !== "image" && block.type !== "document") return [];
    return isJsonObject(block.source) ? attachmentFrom(block.source, block.title) : [];
  });
}

function attachmentFrom(source: JsonObject, title: JsonValue | undefined): readonly AttachmentFact[] {
  if (typeof source.data !== "string") return [];
  const plain = source.type === "text";
  const data = plain ? Buffer.from(source.data).toString("base64") : source.data;
  return [
    {
      mimeType: String(source.media_type),
      sizeBytes: base64Bytes(data),
      data,
      ...(typeof title === "string" ? { name: title } : {}),
    },
  ];
}

function toolNames(messages: readonly JsonObject[]): ReadonlyMap<string, string> {
  const calls = messages
    .flatMap(({ content }) => blocksIn(content))
    .filter(({ type }) => type === "tool_use");
  return new Map(calls.map(({ id, name }) => [String(id), String(name)]));
}

function resultsIn(message: JsonObject, names: ReadonlyMap<string, string>): readonly ToolResultFact[] {
  return blocksIn(message.content)
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id: id, content }) => ({
      name: names.get(String(id)) ?? String(id),
      text: textIn(content) || asText(content),
    }));
}

/** Whether the request asks for reasoning to be shown. */
function wantsThinking({ thinking }: JsonObject): boolean {
  return isJsonObject(thinking) && thinking.type !== "disabled" && thinking.type !== undefined;
}

/** Walks the value; base64 counts as media, not as text. */
function tokensIn(value: JsonValue | undefined): number {
  if (typeof value === "string") return countTextTokens(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item: JsonValue) => sum + tokensIn(item), 0);
  if (!isJsonObject(value)) return value === undefined ? 0 : 1;
  if (value.type === "base64" && typeof value.data === "string") {
    return countMediaTokens(String(value.media_type), base64Bytes(value.data));
  }
  return Object.values(value).reduce((sum: number, item) => sum + tokensIn(item), 0);
}
