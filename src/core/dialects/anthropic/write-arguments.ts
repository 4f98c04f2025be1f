/** The input of a tool_use block: always an object, whatever the model wrote. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { MAX_DEPTH } from "../../envelope/structure.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import type { RepairedCall } from "../pivot.js";
import { wrapped } from "../report.js";
import { wellFormedObject } from "../well-formed.js";

/** Room for the message, its content and the block around the input. */
const DEEPEST = MAX_DEPTH - 8;

export interface WrittenInput {
  readonly input: JsonObject;
  readonly report: readonly ConversionReportEntry[];
}

/** Text that is no object, or nests deeper than a history may, is kept under `_raw`. */
export function writeInput(call: RepairedCall): WrittenInput {
  const given = call.arguments;
  if (given.type === "object") return { input: wellFormedObject(given.value), report: [] };
  if (given.text.trim() === "") return { input: {}, report: [] };
  const parsed = parsedObject(given.text);
  if (parsed !== undefined) return { input: wellFormedObject(parsed), report: [] };
  const detail = `${call.id}: not a JSON object, kept under _raw`;
  return { input: { _raw: given.text.toWellFormed() }, report: [wrapped(call.origin, detail)] };
}

function parsedObject(text: string): JsonObject | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTooDeep(text: string): boolean {
  if (text.length <= DEEPEST) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString && character === "\\") at += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === "{" || character === "[")) depth += 1;
    else if (!inString && (character === "}" || character === "]")) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
