/** The usage of a response in neutral fields. */
import type { Usage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import { tokenCount } from "../token-count.js";

/** Cached tokens are part of the input's count, reasoning tokens of the output's. */
export function usage(raw: JsonValue | undefined): Usage {
  const input = field(raw, "input_tokens_details");
  return {
    input_tokens: tokenCount(raw, "input_tokens"),
    output_tokens: tokenCount(raw, "output_tokens"),
    cache_read_tokens: tokenCount(input, "cached_tokens"),
    cache_write_tokens: tokenCount(input, "cache_write_tokens"),
    reasoning_tokens: tokenCount(field(raw, "output_tokens_details"), "reasoning_tokens"),
  };
}

function field(raw: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(raw) ? raw[name] : undefined;
}
