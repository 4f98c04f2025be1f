/** A call's arguments as the JSON text that the wire has. */
import type { PivotArguments } from "../pivot.js";

/** Text stays as it is, also where it is no JSON: the model wrote it. */
export function argumentsText(given: PivotArguments): string {
  if (given.type === "object") return wellFormedJson(JSON.stringify(given.value));
  return given.text.trim() === "" ? "{}" : given.text.toWellFormed();
}

/** `JSON.stringify` escapes lone surrogates, and nothing else that begins with `\ud`. */
function wellFormedJson(json: string): string {
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\ufffd"));
}
