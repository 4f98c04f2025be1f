/** Gemini's `usageMetadata` in neutral fields. */
import type { Usage } from "../../envelope/envelope.js";
import type { JsonValue } from "../../json.js";
import { tokenCount, tokenSum } from "../token-count.js";

/** Gemini counts tool results and thoughts beside prompt and answer; cached tokens are part of the prompt's. */
export function usage(raw: JsonValue | undefined): Usage {
  const count = (name: string): number => tokenCount(raw, name);
  return {
    input_tokens: tokenSum(count("promptTokenCount"), count("toolUsePromptTokenCount")),
    output_tokens: tokenSum(count("candidatesTokenCount"), count("thoughtsTokenCount")),
    cache_read_tokens: count("cachedContentTokenCount"),
    cache_write_tokens: 0,
    reasoning_tokens: count("thoughtsTokenCount"),
  };
}
