/** The usage of a chat completion in neutral fields. */
import type { Usage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";

/** Cached tokens are part of the prompt's count, reasoning tokens of the completion's. */
export function usage(raw: JsonValue | undefined): Usage {
  const prompt = field(raw, "prompt_tokens_details");
  return {
    input_tokens: count(raw, "prompt_tokens"),
    output_tokens: count(raw, "completion_tokens"),
    cache_read_tokens: count(prompt, "cached_tokens"),
    cache_write_tokens: count(prompt, "cache_write_tokens"),
    reasoning_tokens: count(field(raw, "completion_tokens_details"), "reasoning_tokens"),
  };
}

function field(raw: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(raw) ? raw[name] : undefined;
}

function count(raw: JsonValue | undefined, name: string): number {
  const value = field(raw, name);
  return typeof value === "number" ? value : 0;
}
