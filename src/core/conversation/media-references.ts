/** Which blobs a conversation needs: for garbage collection, which deletes what nothing names. */
import { namedDigests } from "../media/media-references.js";
import type { ConversationState } from "./state.js";
import { listOf } from "./state.js";

/**
 * The hex SHA-256 of every blob that anything in the state names: history, media table, attic, records of interrupted turns,
 * and the turns that run or wait.
 */
export function mediaReferencesOf(state: ConversationState): readonly string[] {
  return [...namedDigests([state, Object.fromEntries(listOf(state, "media"))])];
}
