/** Version 3 adds ids and times, the agent, the index of turns, accounting, media and conversion. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { EMPTY_TOTALS } from "../accounting.js";
import { isSha256 } from "../check.js";
import { restoredTurns } from "../turn-ranges.js";
import type { MigrationContext } from "./migration.js";

/**
 * What version 2 did not record stays empty: no costs, no agent. Turns get the ids `restored-1`, `restored-2`, … so
 * that a second migration of the same file gives the same ids. The old checksum goes: it was over the old content.
 */
export function v2ToV3({ checksum: _, ...envelope }: JsonObject, context: MigrationContext): JsonObject {
  const metadata = isJsonObject(envelope.metadata) ? envelope.metadata : {};
  return {
    conversation_id: context.conversationId,
    created_at: context.now,
    saved_at: context.now,
    agent: null,
    system: null,
    turn_index: turnIndex(envelope, context),
    accounting: {
      turns: [],
      totals: { ...EMPTY_TOTALS, turns: metadata.run_count, usage: { ...EMPTY_TOTALS.usage } },
    },
    interrupted_turn: null,
    media_policy: "inline",
    media: {},
    media_report: [],
    converted_from: null,
    conversion_report: [],
    attic: [],
    ...envelope,
    schema_version: 3,
    prefix: comparablePrefix(envelope.prefix),
    metadata: { ...metadata, served_models: servedModels(envelope, metadata.served_models, context.now) },
  };
}

function turnIndex({ messages, provider, model }: JsonObject, context: MigrationContext): JsonValue {
  const history = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return restoredTurns(history, context.startsTurn, {
    provider: provider ?? null,
    endpoint: context.endpoint,
    model: model ?? null,
  }).map((turn) => ({ ...turn }));
}

/** A prefix without the hash of each part cannot be compared with another: it counts as not known. */
function comparablePrefix(prefix: JsonValue | undefined): JsonValue {
  if (!isJsonObject(prefix) || !isSha256(prefix.fingerprint) || !isSha256(prefix.instructions_sha256))
    return null;
  return prefix;
}

/** Version 2 wrote the name of a model, or an entry that may lack what is the same for all. */
function servedModels(envelope: JsonObject, served: JsonValue | undefined, now: string): JsonValue {
  const list = served ?? [envelope.model ?? null];
  if (!Array.isArray(list)) return list;
  return list.map((entry, index) => {
    const common = {
      event: index === 0 ? "start" : "rebind",
      provider: envelope.provider,
      model: envelope.model,
      at: now,
      turn: 0,
    };
    if (typeof entry === "string") return { ...common, model: entry };
    return isJsonObject(entry) ? { ...common, ...entry } : entry;
  });
}
