/** The JSON of a file, or a line that says why it is none: empty, binary, cut off, or something else. */
import { notJson } from "./damage.js";

const BYTE_ORDER_MARK = "\ufeff";
const LOOKED_AT = 4_096;
const MOST_OF_REASON = 160;

/** @throws EnvelopeDamagedError where the text is not JSON. `source` is what the error calls it. */
export function parseJson(text: string, source: string): unknown {
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (json.trim() === "") throw notJson(source, "empty");
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw notJson(source, reasonOf(json, cause), cause);
  }
}

function reasonOf(json: string, cause: unknown): string {
  if (isBinary(json)) return "not text but binary data";
  const start = json.trimStart().charAt(0);
  if (start !== "{" && start !== "[")
    return json.includes("\ufffd") ? "not text but binary data" : "not JSON";
  if (isCutOff(json, cause)) {
    return `cut off after ${json.length} characters: the rest of its JSON is missing`;
  }
  return `not valid JSON (${oneLine(cause)})`;
}

/** The parser stopped where the text stops. */
function isCutOff(json: string, cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const position = /position (\d+)/.exec(cause.message)?.[1];
  const atEnd = position !== undefined && Number(position) >= json.trimEnd().length;
  return atEnd || /unexpected end|unterminated/i.test(cause.message);
}

function isBinary(text: string): boolean {
  for (const character of text.slice(0, LOOKED_AT)) {
    const code = character.charCodeAt(0);
    if (code < 0x20 && !"\t\n\r\f".includes(character)) return true;
  }
  return false;
}

function oneLine(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/\s+/g, " ").slice(0, MOST_OF_REASON);
}
