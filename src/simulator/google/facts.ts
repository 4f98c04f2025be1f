/** What a generateContent request holds, for the replies. */
import { toldSchemaIn } from "../../core/dialects/told-schema.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import {
  type AttachmentFact,
  asText,
  factsOf,
  objectsIn,
  type RequestFacts,
  type SeenMessage,
} from "../request-facts.js";
import { base64Bytes, countMediaTokens, countTextTokens } from "../token-estimate.js";
import type { GenerateRoute } from "../wire.js";
import type { StoredFile } from "./files.js";
import { isQuestion, partsIn, responsesIn } from "./parts.js";

/** Finds the upload behind a URI. */
export type FindFile = (uri: string) => StoredFile | undefined;

export function factsFrom(request: JsonObject, route: GenerateRoute, find: FindFile): RequestFacts {
  return factsOf({
    model: route.model ?? "",
    stream: route.stream === true,
    reasoning: wantsThoughts(request),
    output: outputIn(request),
    cache: "automatic",
    tools: objectsIn(request.tools)
      .flatMap(({ functionDeclarations }) => objectsIn(functionDeclarations))
      .map((tool) => ({ name: String(tool.name), schema: tool.parametersJsonSchema ?? tool.parameters })),
    prefixTokens: tokensIn(request.systemInstruction, find) + tokensIn(request.tools, find),
    messages: objectsIn(request.contents).map((content) => seenIn(content, find)),
  });
}

function outputIn({ generationConfig, systemInstruction }: JsonObject): JsonValue | undefined {
  const { responseJsonSchema, responseSchema } = isJsonObject(generationConfig) ? generationConfig : {};
  const system = isJsonObject(systemInstruction) ? partsIn(systemInstruction) : [];
  return (
    responseJsonSchema ??
    responseSchema ??
    toldSchemaIn(system.map(({ text }) => (typeof text === "string" ? text : "")).join("\n"))
  );
}

export function inputTokens(request: JsonObject, find: FindFile): number {
  const { systemInstruction, tools, contents } = request;
  return tokensIn(systemInstruction, find) + tokensIn(tools, find) + tokensIn(contents, find);
}

function wantsThoughts({ generationConfig }: JsonObject): boolean {
  const config = isJsonObject(generationConfig) ? generationConfig.thinkingConfig : undefined;
  return isJsonObject(config) && config.includeThoughts === true;
}

function seenIn(content: JsonObject, find: FindFile): SeenMessage {
  const parts = partsIn(content);
  const texts = parts.filter(({ text, thought }) => typeof text === "string" && thought !== true);
  return {
    question: isQuestion(content),
    text: texts.map(({ text }) => String(text)).join("\n"),
    attachments: parts.flatMap((part) => attachmentIn(part, find)),
    toolResults: responsesIn(content).map(({ name, response }) => ({
      name: String(name),
      text: asText(isJsonObject(response) ? (response.output ?? response) : response),
    })),
    tokens: tokensIn(content, find),
  };
}

function attachmentIn({ inlineData, fileData }: JsonObject, find: FindFile): readonly AttachmentFact[] {
  if (isJsonObject(inlineData)) {
    const data = String(inlineData.data);
    return [{ mimeType: String(inlineData.mimeType), sizeBytes: base64Bytes(data), data }];
  }
  const file = isJsonObject(fileData) ? find(String(fileData.fileUri)) : undefined;
  if (file === undefined) return [];
  const name = file.displayName === undefined ? {} : { name: file.displayName };
  return [
    { mimeType: file.mimeType, sizeBytes: file.bytes.length, data: file.bytes.toString("base64"), ...name },
  ];
}

/** Walks the value; bytes count as media, whether they stand in it or were uploaded. */
function tokensIn(value: JsonValue | undefined, find: FindFile): number {
  if (typeof value === "string") return countTextTokens(value);
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item: JsonValue) => sum + tokensIn(item, find), 0);
  }
  if (!isJsonObject(value)) return value === undefined ? 0 : 1;
  if (typeof value.data === "string" && typeof value.mimeType === "string") {
    return countMediaTokens(value.mimeType, base64Bytes(value.data));
  }
  const file = typeof value.fileUri === "string" ? find(value.fileUri) : undefined;
  if (file !== undefined) return countMediaTokens(file.mimeType, file.bytes.length);
  return Object.values(value).reduce((sum: number, item) => sum + tokensIn(item, find), 0);
}
