/** The model's items as they must be sent back on the next call. */
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { withoutItemId } from "./openai-request.js";

/**
 * The output's items, whole, with the ids by which reasoning and what followed it belong together. Left out is what the
 * API refuses to take back: messages without text, calls that were cut short, reasoning without its encrypted content
 * (nothing is stored from which it could be read) or that nothing follows. Where nothing is left the model has said
 * nothing, and no item stands for it.
 */
export function resendableItems(output: readonly JsonObject[]): readonly NativeMessage[] {
  const kept = output.map(withoutOutputFields).filter(isResendable);
  const end = kept.findLastIndex(({ type }) => type !== "reasoning");
  const followed = kept.slice(0, end + 1);
  const lostReasoning = output.some((item) => item.type === "reasoning" && !isResendable(item));
  return lostReasoning ? followed.map(withoutItemId) : followed;
}

function isResendable(item: JsonObject): boolean {
  if (item.type === "reasoning")
    return typeof item.encrypted_content === "string" && item.encrypted_content !== "";
  if (item.type === "message") return Array.isArray(item.content) && item.content.length > 0;
  return (
    !String(item.type).endsWith("_call") || (item.status !== "incomplete" && item.status !== "in_progress")
  );
}

/** Null stands for "not there" in what the API hands out, and is refused in some of what it takes. */
function withoutOutputFields(item: JsonObject): JsonObject {
  const { parsed_arguments: _, ...fields } = item;
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  if (item.type !== "message" || !Array.isArray(item.content)) return present;
  return { ...present, content: item.content.filter(hasText).map(withoutParsed) };
}

function hasText(part: JsonValue): boolean {
  if (!isJsonObject(part)) return false;
  const said = part.type === "refusal" ? part.refusal : part.text;
  return typeof said !== "string" || said.trim() !== "";
}

function withoutParsed(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const { parsed: _, ...bare } = part;
  return bare;
}
