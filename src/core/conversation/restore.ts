/** From an agent or an envelope to the state with which a conversation starts. */
import type { AgentSpec } from "../agent.js";
import type { Dialect } from "../dialects/dialect.js";
import { EMPTY_TOTALS } from "../envelope/accounting.js";
import type { Envelope, Prefix, ServedModel } from "../envelope/envelope.js";
import { prefixChange } from "../envelope/prefix-change.js";
import { unknownKeysOf } from "../envelope/serialise-envelope.js";
import { agentDigest, EMPTY_ROOT, extendRoot } from "../hash.js";
import type { JsonObject } from "../json.js";
import { type ProviderName, resolveModel } from "../providers.js";
import type { Root } from "./activity-contract.js";
import { cutTurns } from "./cut-turns.js";
import type { CheckpointStatus } from "./messages.js";
import { servedRanges } from "./provenance.js";
import { grown } from "./segment.js";
import type { ConversationHead, ConversationState } from "./state.js";
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
    agent_digest: agentDigest({ agent: context.agent, system: null, served: [] }),
    prefix_change_report: null,
    root,
    run_count: 0,
    totals: EMPTY_TOTALS,
    media_policy: "inline",
    interrupted_turn: null,
    converted_from: null,
    conversions: 0,
    restored_from_schema_version: null,
    checkpoint: context.checkpoint,
    queue: [],
    closing: false,
    refusals: [],
    recent: [],
    unknown: {},
    unknown_metadata: {},
    continues: true,
    signals_apart: true,
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
    /** Who served the envelope before it was converted; its own provider and model without it. */
    readonly savedUnder?: ServedUnder;
  },
): ConversationState {
  const fresh = freshHead(context, extendRoot(EMPTY_ROOT, envelope.messages));
  const { run_count, served_models: _, ...unknownMetadata } = envelope.metadata;
  const copied = context.copiedFrom ?? envelope.copied_from;
  const { agent } = context;
  const served = servedRanges(envelope.turn_index, envelope.metadata.served_models, agent.model);
  const head: ConversationHead = {
    ...fresh,
    created_at: envelope.created_at,
    system: envelope.system,
    agent_digest: agentDigest({ agent, system: envelope.system, served }),
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
  const state = cutTurns(envelope, dialect).reduce(grown, emptyState(head));
  const moved = restoreEvent(context.savedUnder ?? envelope, envelope.metadata.run_count, fresh, context.now);
  return moved === undefined ? state : grown(state, { served_models: [moved] });
}

interface ServedUnder {
  readonly provider: ProviderName;
  readonly model: string;
}

function restoreEvent(
  { provider, model }: ServedUnder,
  turn: number,
  now: ConversationHead,
  at: string,
): ServedModel | undefined {
  if (provider === now.provider && model === now.model) return undefined;
  return { event: "restore", provider: now.provider, model: now.model, at, turn, from: { provider, model } };
}
