/** From an agent or an envelope to the state with which a conversation starts. */
import type { AgentSpec } from "../agent.js";
import type { Dialect } from "../dialects/dialect.js";
import { EMPTY_TOTALS } from "../envelope/accounting.js";
import type { Envelope, MediaEntry, Prefix, ServedModel, TurnIndexEntry } from "../envelope/envelope.js";
import { prefixChange } from "../envelope/prefix-change.js";
import { unknownKeysOf } from "../envelope/serialise-envelope.js";
import { agentDigest, EMPTY_ROOT, extendRoot } from "../hash.js";
import type { JsonObject } from "../json.js";
import { markerPlaces } from "../media/inline-media.js";
import { digestOfKey } from "../media/marker.js";
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
  return {
    head,
    segments: [],
    tail: EMPTY_SEGMENT,
    tailBytes: 0,
    running: null,
    checkpointing: null,
    version: 0,
  };
}

/** The state that continues an envelope whose media are markers. The caller has checked that the dialects agree. */
export function restoredState(
  envelope: Envelope,
  dialect: Dialect,
  context: StartContext & {
    /** Null where the envelope is only looked at. */
    readonly schemaVersion: number | null;
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
    unknown: unknownKeysOf(envelope) as JsonObject,
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

/** A turn of the index with the messages up to its end. The first cut is empty, the last one holds what follows all turns. */
interface Cut {
  readonly entries: readonly TurnIndexEntry[];
  readonly from: number;
  readonly to: number;
}

/** The envelope cut at its turns, each with all that belongs to it; what belongs to none comes before them. */
function turnsOf(envelope: Envelope, dialect: Dialect): readonly Partial<Segment>[] {
  const cuts = cutsOf(envelope);
  const cutOfTurn = new Map(cuts.flatMap(({ entries }, cut) => entries.map((entry) => [entry.turn_id, cut])));
  const cutOfMessage = cuts.flatMap(({ from, to }, cut) => new Array<number>(to - from).fill(cut));
  const turns = byCut(envelope.accounting.turns, cuts, (account) => cutOfTurn.get(account.turn_id) ?? 0);
  const report = byCut(envelope.conversion_report, cuts, (entry) => cutOfMessage[entry.index] ?? cuts.length);
  const media = byCut(Object.entries(envelope.media), cuts, mediaCuts(envelope, dialect, cutOfMessage));
  return cuts.map(({ entries, from, to }, cut) => ({
    messages: envelope.messages.slice(from, to),
    turn_index: entries,
    turns: turns[cut] ?? [],
    media: media[cut] ?? [],
    conversion_report: report[cut] ?? [],
    ...(cut === 0 ? { served_models: envelope.metadata.served_models, attic: envelope.attic } : {}),
  }));
}

function cutsOf({ turn_index, messages }: Envelope): readonly Cut[] {
  const cuts: Cut[] = [{ entries: [], from: 0, to: 0 }];
  let from = 0;
  for (const entry of turn_index) {
    const to = entry.state === "committed" ? entry.to : from;
    cuts.push({ entries: [entry], from, to });
    from = to;
  }
  return [...cuts, { entries: [], from, to: messages.length }];
}

/** The items of each cut. Their order is kept: none comes before the one that it follows in the envelope. */
function byCut<T>(
  items: readonly T[],
  cuts: readonly Cut[],
  cutOf: (item: T) => number,
): readonly (readonly T[])[] {
  const found = cuts.map((): T[] => []);
  let cut = 0;
  for (const item of items) {
    cut = Math.min(Math.max(cut, cutOf(item)), cuts.length - 1);
    found[cut]?.push(item);
  }
  return found;
}

/** Each medium belongs to the turn that names it first. */
function mediaCuts(
  { messages }: Envelope,
  dialect: Dialect,
  cutOfMessage: readonly number[],
): (entry: readonly [string, MediaEntry]) => number {
  const named = new Map<string, number>();
  for (const { key, message_index } of markerPlaces(dialect, messages)) {
    const digest = digestOfKey(key);
    if (!named.has(digest)) named.set(digest, cutOfMessage[message_index] ?? 0);
  }
  return ([digest]) => named.get(digest) ?? 0;
}
