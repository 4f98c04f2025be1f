/** The model's message as it must be sent back on the next call. */
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";

/** Ends in the middle of a block: what was being written is not whole. */
const CUT_SHORT: readonly (string | null)[] = ["max_tokens", "model_context_window_exceeded", "refusal"];

/**
 * One assistant message with the reply's blocks, without what the API hands out and refuses to take back: blank text,
 * thinking without its signature or at the end, a call that was cut short, and the file ids inside citations. Where
 * nothing is left the model has said nothing, and no message stands for it: an empty one is refused, and the API takes
 * two user messages in a row as one.
 */
export function resendableMessages(
  content: readonly JsonObject[],
  stopReason: string | null,
): readonly NativeMessage[] {
  const last = content.at(-1);
  const isCut =
    (last?.type === "tool_use" || last?.type === "server_tool_use") && CUT_SHORT.includes(stopReason);
  const whole = (isCut ? content.slice(0, -1) : content).filter(isResendable).map(resendable);
  const end = whole.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return end === -1 ? [] : [{ role: "assistant", content: whole.slice(0, end + 1) }];
}

function isResendable(block: JsonObject): boolean {
  if (block.type === "text") return typeof block.text === "string" && block.text.trim() !== "";
  if (block.type === "thinking") return typeof block.signature === "string" && block.signature !== "";
  return true;
}

function resendable(block: JsonObject): JsonObject {
  if (block.type !== "text") return block;
  const { citations, ...bare } = block;
  return Array.isArray(citations) ? { ...bare, citations: citations.map(withoutFileId) } : bare;
}

function withoutFileId(citation: JsonValue): JsonValue {
  if (!isJsonObject(citation)) return citation;
  const { file_id: _, ...location } = citation;
  return location;
}
