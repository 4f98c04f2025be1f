/** A call's arguments as the JSON text that Chat Completions wants. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject } from "../../json.js";
import type { RepairedCall } from "../pivot.js";
import { wrapped } from "../report.js";

export interface WrittenArguments {
  readonly text: string;
  readonly report: readonly ConversionReportEntry[];
}

/** JSON text of an object stays as it was written, to the last digit and blank; chat templates break on any other. */
export function writeArguments({ id, origin, arguments: args }: RepairedCall): WrittenArguments {
  if (args.type === "object") return { text: wellFormedJson(JSON.stringify(args.value)), report: [] };
  if (args.text.trim() === "") return { text: "{}", report: [] };
  if (isObjectText(args.text)) return { text: wellFormedJson(args.text), report: [] };
  return {
    text: wellFormedJson(JSON.stringify({ _raw: args.text })),
    report: [wrapped(origin, `${id}: not a JSON object, kept under _raw`)],
  };
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** One escape of JSON text: a pair of surrogates, half of one (captured), or any other. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/gs;

/** Half characters become U+FFFD, also where they are written as an escape: strict parsers refuse both. */
function wellFormedJson(text: string): string {
  const wellFormed = text.toWellFormed();
  if (!/\\u[dD]/.test(wellFormed)) return wellFormed;
  return wellFormed.replace(ESCAPE, (written, half: string | undefined) =>
    half === undefined ? written : "\uFFFD",
  );
}
