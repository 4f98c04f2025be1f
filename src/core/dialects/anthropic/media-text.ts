/** A text in the place of an image or a document. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { replaceAt } from "../replace-at.js";

const SOURCE_STEPS = 2;

/**
 * A block of a list becomes a text block and keeps its cache breakpoint. A fetched page must stay a document: it becomes
 * one of plain text.
 */
export function withMediaText(message: NativeMessage, path: string, text: string): NativeMessage {
  const block = path.split(".").slice(0, -SOURCE_STEPS);
  const inList = /^\d+$/.test(block.at(-1) ?? "");
  return replaceAt(message, block, (found) => (inList ? textBlock(found, text) : textDocument(found, text)));
}

function textBlock(found: JsonValue, text: string): JsonObject {
  const breakpoint = isJsonObject(found) ? found.cache_control : undefined;
  return { type: "text", text, ...(breakpoint === undefined ? {} : { cache_control: breakpoint }) };
}

function textDocument(found: JsonValue, text: string): JsonValue {
  const source = { type: "text", media_type: "text/plain", data: text };
  return isJsonObject(found) ? { ...found, source } : found;
}
