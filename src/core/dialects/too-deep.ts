/** A history that no reader of JSON could take: what it is refused with. */
import type { NativeMessage } from "../envelope/envelope.js";
import { checkStructure, MAX_DEPTH } from "../envelope/structure.js";
import { InvalidHistoryError } from "../errors/errors.js";

export function tooDeep(messages: readonly NativeMessage[]): InvalidHistoryError {
  const index = Math.max(
    messages.findIndex((message) => checkStructure(message) !== undefined),
    0,
  );
  const path = checkStructure(messages[index])?.path.slice(0, 200) ?? "";
  const expected = `at most ${MAX_DEPTH} levels of nesting`;
  return new InvalidHistoryError(
    `messages[${index}] is nested too deep to be converted: expected ${expected}. Flatten it, or leave it out.`,
    [{ index, path, expected }],
  );
}
