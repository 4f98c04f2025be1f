/** An envelope around a history that never was in one. */

import { DIALECTS } from "../dialects/index.js";
import type { NativeHistory } from "../dialects/native-history.js";
import { type DialectName, dialectOf, type ProviderName } from "../providers.js";
import { EMPTY_TOTALS } from "./accounting.js";
import { type Envelope, SCHEMA_VERSION, UNKNOWN_MODEL } from "./envelope.js";
import { restoredTurns } from "./turn-ranges.js";

export interface HistoryOrigin {
  /** Who served it: a dialect's own provider has its name. */
  readonly provider: ProviderName;
  readonly model?: string;
  /** The empty text where nobody has chosen one yet. */
  readonly conversationId?: string;
  /** ISO time. */
  readonly now: string;
}

/** A turn starts where a user's message starts one in the dialect; what stands before the first belongs to none. */
export function envelopeOfHistory(
  { messages, system }: NativeHistory,
  { provider, model = UNKNOWN_MODEL, conversationId = "", now }: HistoryOrigin,
): Envelope {
  const dialect: DialectName = dialectOf(provider);
  const { capabilities, startsTurn } = DIALECTS[dialect];
  const turn_index = restoredTurns(messages, startsTurn, {
    provider,
    endpoint: capabilities.endpoint,
    model,
  });
  const run_count = turn_index.length;
  return {
    schema_version: SCHEMA_VERSION,
    conversation_id: conversationId,
    created_at: now,
    saved_at: now,
    provider,
    model,
    agent: null,
    system,
    prefix: null,
    messages,
    turn_index,
    metadata: { run_count, served_models: [{ event: "start", provider, model, at: now, turn: 0 }] },
    accounting: { turns: [], totals: { ...EMPTY_TOTALS, turns: run_count } },
    interrupted_turn: null,
    media_policy: "inline",
    media: {},
    media_report: [],
    converted_from: null,
    conversion_report: [],
    attic: [],
  };
}
