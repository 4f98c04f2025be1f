/** What a step from one schema version to the next is. */
import type { JsonObject } from "../../json.js";

/** What a step may know beside the envelope. Steps are pure: time and ids come from outside. */
export interface MigrationContext {
  /** ISO time to write where the old envelope has none. */
  readonly now: string;
  /** Id to write where the old envelope has none; the empty text where nobody has chosen one yet. */
  readonly conversationId: string;
  /** The wire family of the envelope's provider. */
  readonly endpoint: string;
  /** Whether a user's turn starts at this message, in the dialect of the envelope's provider. */
  readonly startsTurn: (message: JsonObject) => boolean;
}

/** One step. Keys that it does not know ride along. */
export type Migration = (envelope: JsonObject, context: MigrationContext) => JsonObject;
