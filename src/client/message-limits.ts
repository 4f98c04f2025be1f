/** What is known to be no message before anything is sent. */
import { TurnRefusedError, UsageError } from "../core/errors/errors.js";

/** No provider takes a request above 32 MiB of text; a message of this size could not be answered by any model. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** @throws UsageError for an empty message, TurnRefusedError for one that no provider would take. */
export function assertMessage(message: unknown, files: number): asserts message is string {
  if (typeof message !== "string") throw new UsageError('A message is a text: run("…").');
  if (message.trim() === "" && files === 0)
    throw new UsageError("The message is empty: write a question or attach a file.");
  if (message.length <= MOST_CHARACTERS) return;
  throw new TurnRefusedError(
    `The message has ${message.length} characters: no provider takes more than ${MOST_CHARACTERS}. Shorten it, or attach it as a file.`,
    "too_large",
  );
}
