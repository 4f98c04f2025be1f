/**
 * A response's `status`, or the reason why it is incomplete, in unified words. Calls and refusals also end with
 * `completed`: the adapter, which sees them, says so.
 */
import type { FinishReason } from "../../envelope/envelope.js";

const UNIFIED: Readonly<Record<string, FinishReason["unified"]>> = {
  completed: "stop",
  max_output_tokens: "length",
  content_filter: "content_filter",
  failed: "error",
};

export function finishReason(raw: string | null | undefined): FinishReason {
  const known = typeof raw === "string" && Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw] : undefined;
  return { unified: known ?? "other", raw: raw ?? null };
}
