/** The shape of a request to stop a turn. */
import { isJsonObject } from "../json.js";

const KEYS: readonly string[] = ["turn_id", "reason"];

/**
 * What is wrong with a `cancel_turn` request, in one line. Without an id the running turn stops: nothing that was misspelt
 * or could not be decoded may pass for a request without one.
 */
export function cancelIssue(request: unknown): string | undefined {
  if (request === undefined || request === null) return undefined;
  const sound =
    isJsonObject(request) &&
    Object.entries(request).every(([key, value]) => KEYS.includes(key) && typeof value === "string");
  return sound ? undefined : "cancel_turn takes {turn_id?, reason?}, both texts, or nothing.";
}
