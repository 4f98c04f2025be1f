/** Version 2 adds `metadata` with `run_count` and `served_models`, and `prefix`. */
import { isJsonObject, type JsonObject } from "../../json.js";
import { turnRanges } from "../turn-ranges.js";
import type { MigrationContext } from "./migration.js";

/** The turns are counted where users' messages start them. Of the prefix nothing is known. */
export function v1ToV2(envelope: JsonObject, { now, startsTurn }: MigrationContext): JsonObject {
  const { provider, model, messages } = envelope;
  const history = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return {
    prefix: null,
    ...envelope,
    schema_version: 2,
    metadata: {
      run_count: turnRanges(history, startsTurn).length,
      served_models: [{ event: "start", provider, model, at: now, turn: 0 }],
      ...(isJsonObject(envelope.metadata) ? envelope.metadata : {}),
    },
  };
}
