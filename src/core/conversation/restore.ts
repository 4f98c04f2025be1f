/** From an agent or an envelope to the state with which a conversation starts. */
import type { AgentSpec } from "../agent.js";
import type { Dialect } from "../dialects/dialect.js";
import { EMPTY_TOTALS } from "../envelope/accounting.js";
import type { Envelope, MediaEntry, Prefix, ServedModel, TurnIndexEntry } from "../envelope/envelope.js";
import { prefixChange } from "../envelope/prefix-change.js";
import { agentDigest, EMPTY_ROOT, extendRoot } from "../hash.js";
import type { JsonObject } from "../json.js";
import { isMarker, keyOf } from "../media/marker.js";
import { resolveModel } from "../providers.js";
import type { Root } from "./activity-contract.js";
import type { CheckpointStatus } from "./messages.js";
import { grown } from "./segment.js";
import type { ConversationHead, ConversationState, Segment } from "./state.js";
import { EMPTY_SEGMENT } from "./state.js";

export interface StartContext {
  readonly conversationId: string;
  readonly now: string;
  readonly agent: AgentSpec;
  readonly prefix: Prefix;
  readonly checkpoint: CheckpointStatus | null;
}

/** The state of a conversation that has not begun. */
export function freshState(context: StartContext): ConversationState {
  const { provider, model } = resolveModel(context.agent.model);
  const started: ServedModel = { event: "start", provider, model, at: context.now, turn: 0 };
  return grown(emptyState(freshHead(context, EMPTY_ROOT)), { served_models: [started] });
}

function freshHead(context: StartContext, root: Root): ConversationHead {
  const { provider, model } = resolveModel(context.agent.model);
  return {
    layout: 1,
    conversation_id: context.conversationId,
    created_at: context.now,
    provider,
    model,
    agent: context.agent,
    system: null,
    prefix: context.prefix,
    agent_digest: agentDigest({ agent: context.agent, system: null }),
    prefix_change_report: null,
    root,
    run_count: 0,
    totals: EMPTY_TOTALS,
    media_policy: "inline",
    interrupted_turn: null,
    converted_from: null,
    restored_from_schema_version: null,
    checkpoint: context.checkpoint,
    queue: [],
    closing: false,
    refusals: [],
    recent: [],
    unknown: {},
    unknown_metadata: {},
  };
}

function emptyState(head: ConversationHead): ConversationState {
  return { head, segments: [], tail: EMPTY_SEGMENT, tailBytes: 0, running: null, version: 0 };
}

/** The state that continues an envelope whose media are markers. The caller has checked that the dialects agree. */
export function restoredState(
  envelope: Envelope,
  dialect: Dialect,
  context: StartContext & {
    readonly schemaVersion: number;
    readonly copiedFrom?: { readonly conversation_id: string; readonly turn: number };
  },
): ConversationState {
  const fresh = freshHead(context, extendRoot(EMPTY_ROOT, envelope.messages));
  const { run_count, served_models: _, ...unknownMetadata } = envelope.metadata;
  const copied = context.copiedFrom ?? envelope.copied_from;
  const head: ConversationHead = {
    ...fresh,
    created_at: envelope.created_at,
    system: envelope.system,
    agent_digest: agentDigest({ agent: context.agent, system: envelope.system }),
    prefix_change_report: envelope.prefix === null ? null : prefixChange(envelope.prefix, context.prefix),
    run_count,
    totals: envelope.accounting.totals,
    media_policy: envelope.media_policy,
    interrupted_turn: envelope.interrupted_turn,
    converted_from: envelope.converted_from,
    restored_from_schema_version: context.schemaVersion,
    ...(copied === undefined ? {} : { copied_from: copied }),
    unknown: unknownKeys(envelope),
    unknown_metadata: unknownMetadata as JsonObject,
  };
  const state = turnsOf(envelope, dialect).reduce(grown, emptyState(head));
  const moved = restoreEvent(envelope, fresh, context.now);
  return moved === undefined ? state : grown(state, { served_models: [moved] });
}

function restoreEvent(envelope: Envelope, now: ConversationHead, at: string): ServedModel | undefined {
  if (envelope.provider === now.provider && envelope.model === now.model) return undefined;
  const from = { provider: envelope.provider, model: envelope.model };
  return {
    event: "restore",
    provider: now.provider,
    model: now.model,
    at,
    turn: envelope.metadata.run_count,
    from,
  };
}

const KNOWN_KEYS = new Set([
  "schema_version",
  "conversation_id",
  "created_at",
  "saved_at",
  "provider",
  "model",
  "agent",
  "system",
  "prefix",
  "messages",
  "turn_index",
  "metadata",
  "accounting",
  "interrupted_turn",
  "media_policy",
  "media",
  "media_report",
  "converted_from",
  "conversion_report",
  "attic",
  "copied_from",
  "checksum",
]);

function unknownKeys(envelope: Envelope): JsonObject {
  return Object.fromEntries(Object.entries(envelope).filter(([key]) => !KNOWN_KEYS.has(key))) as JsonObject;
}

/** The envelope cut at its turns, each with all that belongs to it. */
function turnsOf(envelope: Envelope, dialect: Dialect): readonly Segment[] {
  const cuts: Segment[] = [];
  let from = 0;
  let committed = 0;
  for (const entry of envelope.turn_index) {
    const to = entry.state === "committed" ? entry.to : from;
    cuts.push(cut(envelope, dialect, { entries: [entry], from, to, committed }));
    from = to;
    if (entry.state === "committed") committed++;
  }
  cuts.push(
    cut(envelope, dialect, {
      entries: [],
      from,
      to: envelope.messages.length,
      committed: Number.POSITIVE_INFINITY,
    }),
  );
  return withUnplaced(envelope, cuts);
}

interface Cut {
  readonly entries: readonly TurnIndexEntry[];
  readonly from: number;
  readonly to: number;
  readonly committed: number;
}

function cut(envelope: Envelope, dialect: Dialect, { entries, from, to, committed }: Cut): Segment {
  const messages = envelope.messages.slice(from, to);
  const last = committed === Number.POSITIVE_INFINITY;
  const ids = new Set(entries.map((entry) => entry.turn_id));
  const stands = (index: number): boolean => (index >= from && index < to) || (last && index >= to);
  return {
    messages,
    turn_index: entries,
    turns: envelope.accounting.turns.filter((account) => ids.has(account.turn_id)),
    served_models: [],
    media: mediaOf(envelope, dialect, messages),
    media_report: [],
    conversion_report: envelope.conversion_report.filter((entry) => stands(entry.index)),
    attic: [],
  };
}

function mediaOf(
  envelope: Envelope,
  dialect: Dialect,
  messages: Segment["messages"],
): (readonly [string, MediaEntry])[] {
  const found: (readonly [string, MediaEntry])[] = [];
  for (const message of messages) {
    dialect.mapMedia(message, (slot) => {
      const sha256 = isMarker(slot.data) ? (keyOf(slot.data) ?? "").slice(0, 64) : "";
      const entry = envelope.media[sha256];
      if (entry !== undefined) found.push([sha256, entry]);
      return slot.data;
    });
  }
  return found;
}

/** Adds what belongs to no turn: served models, accounts without an index entry, the attic, media that no message names. */
function withUnplaced(envelope: Envelope, cuts: readonly Segment[]): readonly Segment[] {
  const placed = new Set(cuts.flatMap((segment) => segment.turns.map((account) => account.turn_id)));
  const named = new Set(cuts.flatMap((segment) => segment.media.map(([sha256]) => sha256)));
  const first: Segment = {
    ...EMPTY_SEGMENT,
    turns: envelope.accounting.turns.filter((account) => !placed.has(account.turn_id)),
    served_models: envelope.metadata.served_models,
    media: Object.entries(envelope.media).filter(([sha256]) => !named.has(sha256)),
    attic: envelope.attic,
  };
  return [first, ...cuts];
}
