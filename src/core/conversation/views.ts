/** What the queries answer: views of the state, small enough for one payload each. */
import { answerText } from "../dialects/answer-text.js";
import { dialectFor } from "../dialects/index.js";
import { EMPTY_USAGE } from "../envelope/accounting.js";
import type {
  CommittedTurnEntry,
  EnvelopeMetadata,
  InterruptedTurn,
  TurnIndexEntry,
} from "../envelope/envelope.js";
import { jsonByteLength } from "../json-byte-length.js";
import { parseOutput } from "../output-schema.js";
import { knownReceipt } from "./admit.js";
import { pendingApprovals } from "./approvals.js";
import { budgetStatus } from "./budget-use.js";
import { isCheckpointed } from "./checkpoint.js";
import { firstWithin, LIST_BYTES, lastWithin } from "./first-within.js";
import type { ConversationDescription, ConversationStatus, TurnResult, TurnView } from "./messages.js";
import { runningTurnView } from "./running-turn-view.js";
import type { ConversationState } from "./state.js";
import { findTurn, listOf, messageCount, turnMessages } from "./state.js";

/** An output or a record above this is left out of its view and read in pages instead. */
export const VIEW_BYTES: number = 64 * 1024;
/** A structured answer above this comes as text only: both together have to fit the answer of a query. */
const DATA_BYTES = 32 * 1024;

export function statusOf(state: ConversationState, closed: boolean): ConversationStatus {
  const { head, running } = state;
  const open = head.closing ? "closing" : running === null && head.queue.length === 0 ? "idle" : "running";
  const budget = budgetStatus(state);
  return {
    conversation_id: head.conversation_id,
    state: closed ? "closed" : open,
    running: running?.turn_id ?? null,
    queued: firstWithin(head.queue.map((turn) => turn.turn_id)),
    provider: head.provider,
    model: head.model,
    run_count: head.run_count,
    message_count: messageCount(state),
    restored_from_schema_version: head.restored_from_schema_version,
    checkpoint: head.checkpoint,
    approvals: firstWithin(pendingApprovals(running)),
    ...(budget === undefined ? {} : { budget }),
    refusals: lastWithin(head.refusals),
  };
}

export function metadataOf(state: ConversationState): EnvelopeMetadata {
  return {
    run_count: state.head.run_count,
    served_models: lastWithin(listOf(state, "served_models")),
    ...(jsonByteLength(state.head.unknown_metadata) <= LIST_BYTES ? state.head.unknown_metadata : {}),
  };
}

export function descriptionOf(state: ConversationState, closed: boolean): ConversationDescription {
  const { head } = state;
  const running = runningTurnView(state);
  return {
    ...statusOf(state, closed),
    ...(running === undefined ? {} : { running_turn: running }),
    created_at: head.created_at,
    agent_name: head.agent.name ?? null,
    metadata: metadataOf(state),
    totals: head.totals,
    prefix: head.prefix,
    prefix_change_report: head.prefix_change_report,
    converted_from: head.converted_from,
    has_interrupted_turn: head.interrupted_turn !== null,
  };
}

/** The record of one turn, or of the last one where it failed. */
export function interruptedTurnOf(
  state: ConversationState,
  turnId: string | undefined,
): InterruptedTurn | null {
  if (turnId === undefined) return state.head.interrupted_turn;
  const entry = findTurn(state, turnId);
  return entry?.state === "interrupted" ? entry.record : null;
}

export function turnView(state: ConversationState, turnId: string): TurnView {
  const receipt = knownReceipt(state, turnId);
  if (receipt === undefined) return { turn_id: turnId, state: "unknown" };
  const entry = findTurn(state, turnId);
  const { running } = state;
  const stopping = running?.turn_id === turnId && running.cancelled !== null;
  if (entry === undefined) return stopping ? { ...receipt, stopping } : receipt;
  const checkpointed = isCheckpointed(state, turnId);
  return {
    turn_id: turnId,
    state: entry.state,
    ...endOf(state, entry),
    ...(checkpointed === undefined ? {} : { checkpointed }),
  };
}

/** What the view of an ended turn says of its end. */
function endOf(state: ConversationState, entry: TurnIndexEntry): Partial<TurnView> {
  switch (entry.state) {
    case "refused":
      return { reason: entry.reason, ...(entry.error === undefined ? {} : { error: entry.error }) };
    case "interrupted":
      return jsonByteLength(entry.record) <= VIEW_BYTES ? { interrupted_turn: entry.record } : {};
    case "committed":
      return { result: resultOf(state, entry) };
  }
}

function resultOf(state: ConversationState, entry: CommittedTurnEntry): TurnResult {
  const account = listOf(state, "turns").findLast((candidate) => candidate.turn_id === entry.turn_id);
  const extras = state.head.recent.find((candidate) => candidate.turn_id === entry.turn_id);
  const output = answerText(dialectFor(entry.provider), turnMessages(state, entry));
  return {
    turn_id: entry.turn_id,
    output: jsonByteLength(output) <= VIEW_BYTES ? output : null,
    ...structuredPart(entry.structured, output),
    messages: { from: entry.from, to: entry.to },
    provider: entry.provider,
    model: entry.model,
    simulated: entry.simulated ?? false,
    usage: account?.usage ?? EMPTY_USAGE,
    ...(account?.cost === undefined ? {} : { cost: account.cost }),
    finish_reason: account?.finish_reason ?? null,
    provider_calls: account?.provider_calls ?? 0,
    tool_calls: account?.tool_calls ?? 0,
    media_uploads: extras?.media_uploads ?? [],
    digest: extras?.digest ?? "",
    attempt: extras?.attempt ?? 1,
    ...(extras?.turns_left_out === undefined ? {} : { turns_left_out: extras.turns_left_out }),
    ...(extras?.request_mended === undefined ? {} : { request_mended: extras.request_mended }),
    ...(extras?.media_report === undefined ? {} : { media_report: extras.media_report }),
  };
}

/** What a turn's result says of an answer that fits the schema which was asked for. */
export function structuredPart(
  structured: true | undefined,
  output: string,
): Pick<TurnResult, "structured" | "output_data"> {
  if (structured === undefined) return {};
  const parsed = jsonByteLength(output) <= DATA_BYTES ? parseOutput(output) : undefined;
  return { structured, ...(parsed === undefined ? {} : { output_data: parsed.value }) };
}
