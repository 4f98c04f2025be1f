/** Gemini's `usageMetadata` in neutral fields. */
import type { Usage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";

/** Gemini counts tool results and thoughts beside prompt and answer; cached tokens are part of the prompt's. */
export function usage(raw: JsonValue | undefined): Usage {
  const count = (name: string): number => {
    const value = isJsonObject(raw) ? raw[name] : undefined;
    return typeof value === "number" ? value : 0;
  };
  return {
    input_tokens: count("promptTokenCount") + count("toolUsePromptTokenCount"),
    output_tokens: count("candidatesTokenCount") + count("thoughtsTokenCount"),
    cache_read_tokens: count("cachedContentTokenCount"),
    cache_write_tokens: 0,
    reasoning_tokens: count("thoughtsTokenCount"),
  };
}
