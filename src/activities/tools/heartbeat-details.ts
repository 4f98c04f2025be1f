/** What a tool says with `context.heartbeat`, as the server will keep it. */
import type { JsonValue } from "../../core/json.js";

const MOST_BYTES = 64 * 1024;

/**
 * As JSON has it at this moment; what comes of the object later is not sent.
 *
 * @throws TypeError for what JSON cannot hold, or more than 64 KiB of it: it could not be sent, and the attempt would be lost.
 */
export function heartbeatDetails(details: unknown): JsonValue | undefined {
  if (details === undefined) return undefined;
  const text = textOf(details);
  if (text === undefined)
    throw new TypeError(
      "heartbeat takes what JSON can hold: no function, no BigInt, nothing that holds itself.",
    );
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES)
    throw new TypeError(`heartbeat takes at most ${MOST_BYTES} bytes of JSON, and was given ${bytes}.`);
  return JSON.parse(text) as JsonValue;
}

function textOf(details: unknown): string | undefined {
  try {
    return JSON.stringify(details);
  } catch {
    return undefined;
  }
}
