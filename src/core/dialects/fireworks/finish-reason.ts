/** `finish_reason` of a chat completion in unified words. */
import type { FinishReason } from "../../envelope/envelope.js";

const UNIFIED: Readonly<Record<string, FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  error: "error",
};

export function finishReason(raw: string | null | undefined): FinishReason {
  const known = typeof raw === "string" && Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw] : undefined;
  return { unified: known ?? "other", raw: raw ?? null };
}
