/** The life of a turn after its acceptance: start, then commit, interrupt or refuse. Committed whole or not at all. */
import { addToTotals, addUsage, EMPTY_USAGE } from "../envelope/accounting.js";
import type {
  CommittedTurnEntry,
  FileMarker,
  InterruptedTurn,
  InterruptedTurnEntry,
  MediaEntry,
  MediaReportEntry,
  PrefixChangeReport,
  ServedBy,
  TurnAccount,
} from "../envelope/envelope.js";
import { prefixChange } from "../envelope/prefix-change.js";
import { keyOf } from "../media/marker.js";
import { addedEntries, toldMedia } from "../media/media-report.js";
import { addCost } from "../prices.js";
import type { CallModelFailureDetails, CallModelResult } from "./activity-contract.js";
import { grown } from "./segment.js";
import type { ConversationState, PendingTurn, RunningTurn, TurnExtras } from "./state.js";
import { listOf, withHead } from "./state.js";
import { costOfCalls, providerCalls, startedToolCalls, usageOf, wholeResult } from "./tool-rounds.js";

/** How many tool calls an interrupted record keeps, the newest ones. */
const MOST_TOOL_CALLS = 200;

/** How many of the last turns can be answered with everything their result held. */
const RECENT_TURNS = 16;
/** How many uploads these results may hold together, beside those of the very last. */
const RECENT_UPLOADS = 64;

const NOTHING_STAGED = {
  staged: [],
  root: null,
  calls: [],
  tool_calls: [],
  tool_files: [],
  approvals: [],
  parked_ms: 0,
} as const;

/** Takes the next turn from the queue. The last turn's failure leaves the envelope's field here. */
export function startNextTurn(state: ConversationState, now: string): ConversationState {
  const [next, ...queue] = state.head.queue;
  if (state.running !== null || next === undefined) return state;
  const running: RunningTurn = { ...next, ...NOTHING_STAGED, started_at: now, cancelled: null };
  return { ...withHead(state, { queue, interrupted_turn: null }), running };
}

/** Marks the running turn as stopped by a user; the workflow's own flag, whatever the activity says later. */
export function markCancelled(state: ConversationState, reason: string): ConversationState {
  if (state.running === null || state.running.cancelled !== null) return state;
  return { ...state, running: { ...state.running, cancelled: { reason } }, version: state.version + 1 };
}

/** The queue without a turn that was cancelled before it started; it ends interrupted all the same. */
export function cancelQueued(
  state: ConversationState,
  turnId: string,
  now: string,
  reason: string,
): ConversationState {
  const turn = state.head.queue.find((waiting) => waiting.turn_id === turnId);
  if (turn === undefined) return state;
  const failure = { error_type: "turn.cancelled", error: reason };
  const queue = state.head.queue.filter((waiting) => waiting !== turn);
  return grown(withHead(state, { queue }), {
    turn_index: [interruptedEntry(turn, interruptedRecord(turn, failure, now))],
    turns: [interruptedAccount(state, { ...turn, started_at: now }, failure, now)],
  });
}

/** The final answer has come: what was staged joins the history in one step. */
export function commitTurn(state: ConversationState, last: CallModelResult, now: string): ConversationState {
  const running = state.running;
  if (running === null) return state;
  const result = wholeResult(running, last);
  const { messages } = result;
  const served = servedBy(state, result);
  const entry: CommittedTurnEntry = {
    turn_id: running.turn_id,
    state: "committed",
    from: state.head.root.count,
    to: state.head.root.count + messages.length,
    ...served,
    ...(result.structured === undefined ? {} : { structured: result.structured }),
    ...(running.resend_of === undefined ? {} : { resend_of: running.resend_of }),
  };
  const account: TurnAccount = {
    turn_id: running.turn_id,
    state: "committed",
    provider: served.provider,
    model: served.model,
    ...(served.simulated === undefined ? {} : { simulated: served.simulated }),
    started_at: running.started_at,
    finished_at: now,
    provider_calls: result.provider_calls,
    tool_calls: startedToolCalls(running),
    ...roundsIn(running),
    usage: result.usage,
    ...(result.cost === undefined ? {} : { cost: result.cost }),
    raw_usage: [...running.calls.map(({ raw_usage }) => raw_usage), result.raw_usage],
    finish_reason: result.finish_reason,
  };
  return grown(withEndedTurn(ended(state, running), account, result), {
    messages,
    turn_index: [entry],
    turns: [account],
    media: [
      ...fileEntries(running.files),
      ...fileEntries(running.tool_files),
      ...Object.entries(result.media ?? {}),
    ],
    media_report: newlyReported(state, result.media_report ?? []),
  });
}

/** What a turn says of its media, without what an earlier one has said: a file that is gone is missing from every request. */
function newlyReported(
  state: ConversationState,
  report: readonly MediaReportEntry[],
): readonly MediaReportEntry[] {
  if (report.length === 0) return report;
  const media = new Map(listOf(state, "media"));
  return addedEntries(listOf(state, "media_report"), report).map((entry) => {
    // A worker of an earlier release that finds bytes missing does not say how many they were.
    const known = entry.size === 0 ? media.get((entry.detail ?? "").slice(0, 64)) : undefined;
    return known === undefined ? entry : { ...entry, size: known.size_bytes };
  });
}

/** Nothing runs any more; where there is a checkpoint it is due. */
function ended(state: ConversationState, { turn_id }: RunningTurn): ConversationState {
  return { ...state, running: null, checkpointing: state.head.checkpoint === null ? null : turn_id };
}

function roundsIn({ tool_rounds }: RunningTurn): Pick<TurnAccount, "tool_rounds"> {
  return tool_rounds === undefined ? {} : { tool_rounds };
}

function servedBy(state: ConversationState, result: CallModelResult): ServedBy {
  return {
    provider: state.head.provider,
    endpoint: result.endpoint,
    model: result.model,
    ...(result.simulated === undefined ? {} : { simulated: result.simulated }),
  };
}

function withEndedTurn(
  state: ConversationState,
  account: TurnAccount,
  result: CallModelResult,
): ConversationState {
  const { head } = state;
  const moved: PrefixChangeReport | null =
    result.prefix === undefined || result.prefix_completed === true
      ? null
      : prefixChange(head.prefix, result.prefix);
  const extras = {
    turn_id: account.turn_id,
    digest: result.root.digest,
    attempt: result.attempt,
    ...(result.media_uploads === undefined ? {} : { media_uploads: result.media_uploads }),
    ...(result.turns_left_out === undefined ? {} : { turns_left_out: result.turns_left_out }),
    ...(result.request_mended === undefined ? {} : { request_mended: result.request_mended }),
    ...toldMedia(result.media_report),
  };
  return withHead(state, {
    root: result.root,
    run_count: head.run_count + 1,
    totals: addToTotals(head.totals, account),
    interrupted_turn: null,
    recent: [
      ...withinUploads(head.recent.slice(1 - RECENT_TURNS).map(withoutReports), extras.media_uploads),
      extras,
    ],
    ...(result.prefix === undefined ? {} : { prefix: result.prefix }),
    ...(moved === null ? {} : { prefix_change_report: moved }),
  });
}

/** The uploads of earlier turns go where there are many: the head must stay small (WFL-177). */
function withinUploads(
  earlier: readonly TurnExtras[],
  newest: TurnExtras["media_uploads"],
): readonly TurnExtras[] {
  let left = RECENT_UPLOADS - (newest?.length ?? 0);
  return earlier
    .toReversed()
    .map(({ media_uploads, ...extras }) => {
      left -= media_uploads?.length ?? 0;
      return media_uploads === undefined || left < 0 ? extras : { ...extras, media_uploads };
    })
    .toReversed();
}

function withoutReports({ request_mended: _, media_report: __, ...extras }: TurnExtras): TurnExtras {
  return extras;
}

/** Why a turn did not complete. */
export interface TurnFailure {
  readonly error_type: string;
  readonly error: string;
  readonly details?: CallModelFailureDetails;
}

/** What the failed call says of itself, and what the turn's calls before it have cost. */
function wholeDetails({ calls }: RunningTurn, { details }: TurnFailure): CallModelFailureDetails {
  const cost = addCost(costOfCalls(calls), details?.cost);
  return {
    ...details,
    attempt: details?.attempt ?? calls.at(-1)?.attempt ?? 0,
    provider_calls: providerCalls(calls) + (details?.provider_calls ?? 0),
    usage: addUsage(usageOf(calls), details?.usage ?? EMPTY_USAGE),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** The turn failed: nothing of it enters the history; its record says all. */
export function interruptTurn(
  state: ConversationState,
  failure: TurnFailure,
  now: string,
): ConversationState {
  const running = state.running;
  if (running === null) return state;
  const whole = { ...failure, details: wholeDetails(running, failure) };
  const record = {
    ...interruptedRecord(running, whole, now),
    tool_calls: running.tool_calls.slice(-MOST_TOOL_CALLS),
  };
  const account = {
    ...interruptedAccount(state, running, whole, now),
    tool_calls: startedToolCalls(running),
    ...roundsIn(running),
    raw_usage: running.calls.map(({ raw_usage }) => raw_usage),
  };
  const head = { interrupted_turn: record, totals: addToTotals(state.head.totals, account) };
  return grown(withHead(ended(state, running), head), {
    turn_index: [interruptedEntry(running, record)],
    turns: [account],
  });
}

function interruptedEntry(turn: PendingTurn, record: InterruptedTurn): InterruptedTurnEntry {
  return {
    turn_id: turn.turn_id,
    state: "interrupted",
    record,
    ...(turn.resend_of === undefined ? {} : { resend_of: turn.resend_of }),
  };
}

function interruptedAccount(
  { head }: ConversationState,
  turn: Pick<RunningTurn, "turn_id" | "started_at">,
  failure: TurnFailure,
  now: string,
): TurnAccount {
  return {
    turn_id: turn.turn_id,
    state: "interrupted",
    provider: head.provider,
    model: head.model,
    started_at: turn.started_at,
    finished_at: now,
    provider_calls: failure.details?.provider_calls ?? 0,
    tool_calls: 0,
    usage: failure.details?.usage ?? EMPTY_USAGE,
    ...costIn(failure),
    raw_usage: [],
    finish_reason: null,
    error_type: failure.error_type,
    error: failure.error,
  };
}

function costIn({ details }: TurnFailure): Pick<TurnAccount, "cost"> {
  return details?.cost === undefined ? {} : { cost: details.cost };
}

function interruptedRecord(turn: PendingTurn, failure: TurnFailure, now: string): InterruptedTurn {
  const { details } = failure;
  return {
    error_type: failure.error_type,
    error: failure.error,
    failed_at: now,
    message: turn.message,
    turn_id: turn.turn_id,
    attempts: details?.attempt ?? 0,
    partial_text: details?.partial_text ?? "",
    tool_calls: [],
    usage: details?.usage ?? EMPTY_USAGE,
    ...costIn(failure),
    ...(turn.files === undefined ? {} : { files: turn.files }),
    ...(turn.output_schema === undefined ? {} : { output_schema: turn.output_schema }),
  };
}

/** The turn was accepted and then refused before its first call (an unknown tool, an attachment the model does not take). */
export function refuseTurn(state: ConversationState, reason: string, error: string): ConversationState {
  const { running } = state;
  if (running === null) return state;
  const entry = { turn_id: running.turn_id, state: "refused", reason, error } as const;
  return grown(ended(state, running), { turn_index: [entry] });
}

/** A submission by signal was refused: its caller finds out by asking for its turn. */
export function refuseSubmission(
  state: ConversationState,
  turnId: string,
  reason: string,
  error: string,
): ConversationState {
  return grown(state, { turn_index: [{ turn_id: turnId, state: "refused", reason, error }] });
}

export function fileEntries(files: readonly FileMarker[] | undefined): (readonly [string, MediaEntry])[] {
  return (files ?? []).flatMap((file) => {
    const key = keyOf(file.marker);
    if (key === undefined) return [];
    const entry = {
      mime_type: file.mime_type,
      size_bytes: file.size_bytes,
      name: file.name,
      ref: key,
      ...(file.json_bytes === undefined ? {} : { json_bytes: file.json_bytes }),
    };
    return [[key.slice(0, 64), entry] as const];
  });
}
