/** Calls as Gemini takes them: arguments are an object. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import type { PivotArguments, RepairedCall } from "../pivot.js";
import { wrapped } from "../report.js";
import { wellFormedObject } from "../well-formed.js";
import type { Part } from "./wire.js";

export interface WrittenCall {
  readonly part: Part;
  readonly report: readonly ConversionReportEntry[];
}

export function writeCall({ id, name, arguments: given, origin }: RepairedCall): WrittenCall {
  const args = objectOf(given);
  if (args !== undefined) return { part: { functionCall: { id, name, args } }, report: [] };
  const text = given.type === "text" ? given.text : "";
  return {
    part: { functionCall: { id, name, args: { _raw: text.toWellFormed() } } },
    report: [wrapped({ index: origin.index, path: "" }, `${id}: not a JSON object, kept under _raw`)],
  };
}

/** Undefined for text that is no JSON object, or is nested too deep to be handled. */
function objectOf(given: PivotArguments): JsonObject | undefined {
  if (given.type === "object") return wellFormedObject(given.value);
  if (given.text.trim() === "") return {};
  if (isNestedTooDeep(given.text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(given.text);
    return isJsonObject(parsed) ? wellFormedObject(parsed) : undefined;
  } catch {
    return undefined;
  }
}

const MAXIMUM_DEPTH = 500;

/** Brackets inside of strings count too: that only makes it stricter. */
function isNestedTooDeep(text: string): boolean {
  if (text.length <= MAXIMUM_DEPTH) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > MAXIMUM_DEPTH) return true;
  }
  return false;
}
