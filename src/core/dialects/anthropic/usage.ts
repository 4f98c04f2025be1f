/** The usage of a message in neutral fields. */
import type { Usage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import { tokenCount, tokenSum } from "../token-count.js";

/** Anthropic counts cached input beside `input_tokens`, and thinking as part of `output_tokens`. */
export function usage(raw: JsonValue | undefined): Usage {
  const cache_read_tokens = tokenCount(raw, "cache_read_input_tokens");
  const cache_write_tokens = tokenCount(raw, "cache_creation_input_tokens");
  const details = isJsonObject(raw) ? raw.output_tokens_details : undefined;
  return {
    input_tokens: tokenSum(tokenCount(raw, "input_tokens"), cache_read_tokens, cache_write_tokens),
    output_tokens: tokenCount(raw, "output_tokens"),
    cache_read_tokens,
    cache_write_tokens,
    reasoning_tokens: tokenCount(details, "thinking_tokens"),
  };
}
