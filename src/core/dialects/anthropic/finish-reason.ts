/** Anthropic's `stop_reason` in unified words. */
import type { FinishReason } from "../../envelope/envelope.js";

const UNIFIED: Readonly<Record<string, FinishReason["unified"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

export function finishReason(raw: string | null | undefined): FinishReason {
  const known = typeof raw === "string" && Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw] : undefined;
  return { unified: known ?? "other", raw: raw ?? null };
}
