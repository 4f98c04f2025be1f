/** The id of a turn, which the server takes for that of an update. */
import { UsageError } from "../core/errors/errors.js";

/** The id itself, or undefined where none was given. @throws UsageError for one with half a character, which no server takes. */
export function turnIdOf<Id extends string | undefined>(id: Id): Id {
  if (typeof id !== "string" || id.isWellFormed()) return id;
  throw new UsageError("A turn id has no half characters: it holds a lone surrogate, which is no Unicode.");
}
