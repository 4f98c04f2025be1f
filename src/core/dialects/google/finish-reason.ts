/** Gemini's `finishReason` in unified words. A round of tool calls also ends with STOP: the adapter, which sees the calls, says so. */
import type { FinishReason } from "../../envelope/envelope.js";

const UNIFIED: Readonly<Record<string, FinishReason["unified"]>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
  MODEL_ARMOR: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  MISSING_THOUGHT_SIGNATURE: "error",
  MALFORMED_RESPONSE: "error",
};

export function finishReason(raw: string | null | undefined): FinishReason {
  const known = typeof raw === "string" && Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw] : undefined;
  return { unified: known ?? "other", raw: raw ?? null };
}
