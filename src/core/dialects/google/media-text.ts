/** A text in the place of inline data. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { replaceAt } from "../replace-at.js";

/** Where a function's response says that a file of it is not there: its parts take no text. */
const LEFT_OUT = "media_left_out";

/** A part becomes one of text and keeps its signature; a part of a function's response is told in the response itself. */
export function withMediaText(message: NativeMessage, path: string, text: string): NativeMessage {
  const steps = path.split(".");
  if (steps[2] !== "functionResponse") {
    return replaceAt(message, steps.slice(0, 2), (part) => textPart(part, text));
  }
  const index = Number(steps[4]);
  return replaceAt(message, steps.slice(0, 3), (response) => withoutPart(response, index, text));
}

function textPart(part: JsonValue, text: string): JsonObject {
  const { thought, thoughtSignature } = isJsonObject(part) ? part : {};
  return {
    text,
    ...(thought === undefined ? {} : { thought }),
    ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
  };
}

function withoutPart(held: JsonValue, index: number, text: string): JsonValue {
  if (!isJsonObject(held) || !Array.isArray(held.parts)) return held;
  const { parts: all, ...rest } = held;
  const parts = (all as readonly JsonValue[]).filter((_, at) => at !== index);
  const said = isJsonObject(held.response) ? held.response : {};
  const before = Array.isArray(said[LEFT_OUT]) ? (said[LEFT_OUT] as readonly JsonValue[]) : [];
  return {
    ...rest,
    response: { ...said, [LEFT_OUT]: [text, ...before] },
    ...(parts.length === 0 ? {} : { parts }),
  };
}
