/** What a reply can refer to in a request, read by each wire from its own format. */
import type { JsonObject, JsonValue } from "../core/json.js";

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
  readonly inputTokens: number;
  /** The part of `inputTokens` that a prompt cache can have held from the turn before. */
  readonly cacheableTokens: number;
}

/** Facts of a request in which nothing is asked yet; a wire overrides what it knows. */
export function factsOf(known: Partial<RequestFacts> & { readonly model: string }): RequestFacts {
  return {
    stream: false,
    messageCount: 0,
    questionNumber: 0,
    lastUserText: "",
    attachments: [],
    newToolResults: [],
    toolResultCount: 0,
    tools: [],
    reasoning: false,
    inputTokens: 0,
    cacheableTokens: 0,
    ...known,
  };
}

/** Arguments or results as a short text. */
export function asText(value: JsonValue | JsonObject | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
