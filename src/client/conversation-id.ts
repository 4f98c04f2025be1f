/** The id of a conversation, which is the id of its workflow. */
import { ConversationExistsError, UsageError } from "../core/errors/errors.js";

/** Temporal's own bound is higher; a longer id would not fit a file name or a line. */
const ID_LIMIT = 500;

/** @throws UsageError for what is no id. */
export function conversationId(id: unknown): string {
  if (typeof id !== "string" || id.trim() === "" || id.length > ID_LIMIT)
    throw new UsageError(`A conversation id is a text of 1 to ${ID_LIMIT} characters.`);
  if (id.isWellFormed()) return id;
  throw new UsageError(
    "A conversation id has no half characters: it holds a lone surrogate, which is no Unicode.",
  );
}

/** The refusal of an id that is taken, with the ways on. */
export function existsError(id: string, open: boolean): ConversationExistsError {
  return new ConversationExistsError(
    open
      ? `Conversation ${id} is open already: continue it with open(${JSON.stringify(id)}), take another id for a copy, or say ifExists: "replace".`
      : `Conversation ${id} was closed: read it with open(${JSON.stringify(id)}), import its envelope, take another id, or say ifExists: "replace".`,
  );
}
