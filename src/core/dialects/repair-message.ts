/** The message that sends an answer back which does not fit the schema that was asked for. It belongs to the turn of that answer. */
import { isJsonObject } from "../json.js";

/** By its beginning it is known in a history, whatever the dialect: it starts no turn. */
const BEGINNING = "[structured output] The answer above does not fit the JSON Schema that was asked for.";

const MOST_FAULTS = 10;

export function repairText(faults: readonly string[]): string {
  const more = faults.length - MOST_FAULTS;
  const lines = faults.slice(0, MOST_FAULTS).map((fault) => `- ${fault}`);
  return [
    BEGINNING,
    "What is wrong, by JSON pointer:",
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Answer once more: with the whole JSON value, corrected, and nothing else.",
  ].join("\n");
}

/** True for such a message. */
export function isRepair(message: unknown): boolean {
  if (typeof message === "string") return message.startsWith(BEGINNING);
  if (Array.isArray(message)) return message.some(isRepair);
  return isJsonObject(message) && Object.values(message).some(isRepair);
}
