/** The steps from the first schema version to the current one. A step's place in the list is the version it starts from. */
import type { JsonObject } from "../../json.js";
import type { Migration, MigrationContext } from "./migration.js";
import { v1ToV2 } from "./v1-to-v2.js";
import { v2ToV3 } from "./v2-to-v3.js";

export const MIGRATIONS: readonly Migration[] = [v1ToV2, v2ToV3];

/** The envelope in the current version, through every step from its own. */
export function migrate(envelope: JsonObject, version: number, context: MigrationContext): JsonObject {
  return MIGRATIONS.slice(version - 1).reduce((current, step) => step(current, context), envelope);
}
