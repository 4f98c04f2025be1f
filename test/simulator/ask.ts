/** The smallest valid request of each wire, sent without any SDK. */
import type { JsonObject } from "../../src/core/json.js";
import type { Simulator } from "../../src/simulator/simulator.js";
import type { WireName } from "../../src/simulator/wire.js";

export const WIRES: readonly WireName[] = ["anthropic", "openai", "google", "fireworks", "compatible"];

export const MODELS: Readonly<Record<WireName, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-6-luna",
  google: "gemini-3.5-flash-lite",
  fireworks: "accounts/fireworks/models/glm-5",
  compatible: "llama-3-8b",
};

export interface AskOptions {
  readonly text?: string;
  readonly stream?: boolean;
  readonly model?: string;
  readonly key?: string | null;
  /** Replaces the body. */
  readonly body?: JsonObject | string;
  /** Fields put into the body. */
  readonly patch?: JsonObject;
  readonly signal?: AbortSignal;
}

export async function ask(simulator: Simulator, wire: WireName, options: AskOptions = {}): Promise<Response> {
  const { key = "test" } = options;
  const body = options.body ?? { ...bodyOf(wire, options), ...options.patch };
  return fetch(urlOf(simulator, wire, options), {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === null ? {} : keyHeaders(wire, key)) },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** The text of a streamed or whole reply, however the wire has it. */
export function textIn(payload: string): string {
  const pieces = [...payload.matchAll(/"(?:text|content|delta)":\s*("(?:[^"\\]|\\.)*")/g)];
  return pieces.map(([, text]) => JSON.parse(text ?? '""') as string).join("");
}

export function bodyOf(wire: WireName, options: AskOptions = {}): JsonObject {
  const { text = "Summarise clause 4.", model = MODELS[wire], stream = false } = options;
  switch (wire) {
    case "anthropic":
      return { model, max_tokens: 100, stream, messages: [{ role: "user", content: text }] };
    case "openai":
      return { model, stream, store: false, input: [{ role: "user", content: text }] };
    case "google":
      return { contents: [{ role: "user", parts: [{ text }] }] };
    default:
      return {
        model,
        stream,
        ...(stream ? { stream_options: { include_usage: true } } : {}),
        messages: [{ role: "user", content: text }],
      };
  }
}

function urlOf(simulator: Simulator, wire: WireName, options: AskOptions): string {
  const base = simulator.baseUrls[wire];
  switch (wire) {
    case "anthropic":
      return `${base}/v1/messages`;
    case "openai":
      return `${base}/responses`;
    case "google": {
      const method = options.stream === true ? "streamGenerateContent?alt=sse" : "generateContent";
      return `${base}/v1beta/models/${options.model ?? MODELS.google}:${method}`;
    }
    default:
      return `${base}/chat/completions`;
  }
}

function keyHeaders(wire: WireName, key: string): Record<string, string> {
  if (wire === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return wire === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}
