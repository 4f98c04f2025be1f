/** What a reply can refer to in a request, read by each wire from its own format. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { cachedTokens } from "./token-estimate.js";

export interface AttachmentFact {
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly name?: string;
  /** Base64 of the bytes, where the request or an upload holds them. */
  readonly data?: string;
}

export interface ToolOffer {
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonValue | undefined;
}

export interface ToolResultFact {
  readonly name: string;
  readonly text: string;
}

export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  readonly messageCount: number;
  /** How many messages of the user so far are questions, the last one included. */
  readonly questionNumber: number;
  readonly lastUserText: string;
  /** In the whole request, oldest first. */
  readonly attachments: readonly AttachmentFact[];
  /** Results that stand after the last question. */
  readonly newToolResults: readonly ToolResultFact[];
  readonly toolResultCount: number;
  readonly tools: readonly ToolOffer[];
  /** Whether the request asks for visible reasoning. */
  readonly reasoning: boolean;
  /** JSON Schema of the answer that the request asks for, as a parameter or in its instructions. */
  readonly output: JsonValue | undefined;
  readonly inputTokens: number;
  /** The part of `inputTokens` that a prompt cache holds from the turn before. */
  readonly cacheReadTokens: number;
  /** The part that it takes in for the next. */
  readonly cacheWriteTokens: number;
}

/** One message as a wire reads it from its own format. */
export interface SeenMessage {
  /** From the user, and not only results of tools. */
  readonly question: boolean;
  readonly text: string;
  readonly attachments: readonly AttachmentFact[];
  readonly toolResults: readonly ToolResultFact[];
  readonly tokens: number;
}

export interface SeenRequest
  extends Pick<RequestFacts, "model" | "stream" | "tools" | "reasoning" | "output"> {
  readonly messages: readonly SeenMessage[];
  /** Instructions and tool definitions. */
  readonly prefixTokens: number;
  /** `explicit`: what is written is counted, because it has a price; `automatic`: only what is read. */
  readonly cache: "off" | "explicit" | "automatic";
}

export function factsOf(seen: SeenRequest): RequestFacts {
  const { model, stream, tools, reasoning, output, messages } = seen;
  // What follows results at once are the files that came with them.
  const questions = messages.flatMap(({ question }, index) =>
    question && !messages[index - 1]?.toolResults.length ? [index] : [],
  );
  const last = questions.at(-1) ?? 0;
  const before = seen.prefixTokens + sumOfTokens(messages.slice(0, last));
  const inputTokens = before + sumOfTokens(messages.slice(last));
  const read = questions.length > 1 && seen.cache !== "off" ? cachedTokens(before) : 0;
  return {
    model,
    stream,
    tools,
    reasoning,
    output,
    messageCount: messages.length,
    questionNumber: questions.length,
    lastUserText: messages[last]?.text ?? "",
    attachments: messages.flatMap(({ attachments }) => attachments),
    newToolResults: messages.slice(last + 1).flatMap(({ toolResults }) => toolResults),
    toolResultCount: messages.reduce((sum, { toolResults }) => sum + toolResults.length, 0),
    inputTokens,
    cacheReadTokens: read,
    cacheWriteTokens: seen.cache === "explicit" ? cachedTokens(inputTokens) - read : 0,
  };
}

function sumOfTokens(messages: readonly SeenMessage[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Arguments or results as a short text. */
export function asText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
