/** The usage of a chat completion in neutral fields. */
import type { Usage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import { tokenCount } from "../token-count.js";

/** Cached tokens are part of the prompt's count, reasoning tokens of the completion's. */
export function usage(raw: JsonValue | undefined): Usage {
  const prompt = field(raw, "prompt_tokens_details");
  return {
    input_tokens: tokenCount(raw, "prompt_tokens"),
    output_tokens: tokenCount(raw, "completion_tokens"),
    cache_read_tokens: tokenCount(prompt, "cached_tokens"),
    cache_write_tokens: tokenCount(prompt, "cache_write_tokens"),
    reasoning_tokens: tokenCount(field(raw, "completion_tokens_details"), "reasoning_tokens"),
  };
}

function field(raw: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(raw) ? raw[name] : undefined;
}
