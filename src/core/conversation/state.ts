/** The state of a conversation: a small head, sealed segments, a tail that grows, and the turn that runs. */
import type { AgentSpec } from "../agent.js";
import type { BudgetLimits } from "../budget.js";
import type {
  AccountingTotals,
  CommittedTurnEntry,
  ConversionReportEntry,
  FileMarker,
  InterruptedToolCall,
  InterruptedTurn,
  MediaEntry,
  MediaPolicy,
  MediaReportEntry,
  NativeMessage,
  Prefix,
  PrefixChangeReport,
  ServedModel,
  TurnAccount,
  TurnIndexEntry,
} from "../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { DialectName, ProviderName } from "../providers.js";
import type { CallModelResult, PlannedCall, Root, RoundResult } from "./activity-contract.js";
import type { CheckpointStatus, MediaUpload, RebindRequest, ReplyAddress } from "./messages.js";
import type { RunLimits } from "./run-limits.js";

/** The lists of an envelope that grow with its turns. Each of their entries lives in the segment of its turn. */
export interface Segment {
  readonly messages: readonly NativeMessage[];
  readonly turn_index: readonly TurnIndexEntry[];
  readonly turns: readonly TurnAccount[];
  readonly served_models: readonly ServedModel[];
  readonly media: readonly (readonly [sha256: string, entry: MediaEntry])[];
  readonly media_report: readonly MediaReportEntry[];
  readonly conversion_report: readonly ConversionReportEntry[];
  readonly attic: readonly JsonObject[];
}

export type ListName = keyof Segment;
export const LIST_NAMES: readonly ListName[] = [
  "messages",
  "turn_index",
  "turns",
  "served_models",
  "media",
  "media_report",
  "conversion_report",
  "attic",
];

export const EMPTY_SEGMENT: Segment = {
  messages: [],
  turn_index: [],
  turns: [],
  served_models: [],
  media: [],
  media_report: [],
  conversion_report: [],
  attic: [],
};

/** A turn that was accepted and has not ended. */
export interface PendingTurn {
  readonly turn_id: string;
  readonly message: string;
  readonly files?: readonly FileMarker[];
  readonly resend_of?: string;
  readonly reply_to?: ReplyAddress;
  readonly output_schema?: JsonObject;
  readonly budget?: BudgetLimits;
  readonly accepted_at: string;
}

/** What the last committed turns said that is not in their index entries; enough to answer a late caller in full. */
export interface TurnExtras {
  readonly turn_id: string;
  readonly digest: string;
  readonly attempt: number;
  readonly media_uploads?: readonly MediaUpload[];
  readonly turns_left_out?: number;
  /** Of the last turn only: a fault of the history would stand here once for every turn. */
  readonly request_mended?: readonly ConversionReportEntry[];
  /** Of the last turn only, as well. */
  readonly media_report?: readonly MediaReportEntry[];
}

/** Everything of a conversation that does not grow by turn. It stays under 64 KiB beside the agent's own texts. */
export interface ConversationHead {
  /** Of this layout, for a newer workflow that is handed an older state. */
  readonly layout: 1;
  readonly conversation_id: string;
  readonly created_at: string;
  readonly provider: ProviderName;
  readonly model: string;
  readonly agent: AgentSpec;
  readonly system: string | null;
  readonly prefix: Prefix;
  /** Digest of the agent's context, by which workers keep it. */
  readonly agent_digest: string;
  readonly prefix_change_report: PrefixChangeReport | null;
  /** Of the committed messages. */
  readonly root: Root;
  readonly run_count: number;
  readonly totals: AccountingTotals;
  readonly media_policy: MediaPolicy;
  readonly interrupted_turn: InterruptedTurn | null;
  readonly converted_from: DialectName | null;
  /** How often the history was converted in place: a reader of several pages starts anew when it changes. */
  readonly conversions: number;
  readonly restored_from_schema_version: number | null;
  readonly copied_from?: { readonly conversation_id: string; readonly turn: number };
  readonly checkpoint: CheckpointStatus | null;
  readonly queue: readonly PendingTurn[];
  readonly closing: boolean;
  readonly refusals: readonly Refusal[];
  readonly recent: readonly TurnExtras[];
  /** Unknown top-level keys and unknown metadata keys of the envelope that was restored. */
  readonly unknown: JsonObject;
  readonly unknown_metadata: JsonObject;
  /** Present where runs continue as new: a conversation that began before they did keeps the history that it has. */
  readonly continues?: true;
  /** Present where signals are handled one by one: a run that began before they were replays as it was. */
  readonly signals_apart?: true;
  /** Of the state when the run before this one ended. */
  readonly version?: number;
  /** Rebinds by signal that came while the run before this one ended. */
  readonly rebinds?: readonly RebindRequest[];
  /** In the place of the usual ones, where a run should be shorter. */
  readonly limits?: Partial<RunLimits>;
}

/** A signal that was refused; an update's refusal goes to its caller instead. */
export interface Refusal {
  readonly at: string;
  readonly name: string;
  readonly reason: string;
  readonly error: string;
}

/** The turn that runs. Its messages are staged here and join the history in one step. */
export interface RunningTurn extends PendingTurn {
  readonly started_at: string;
  readonly cancelled: { readonly reason: string } | null;
  readonly staged: readonly NativeMessage[];
  /** Where the history stands with what is staged; null before the first answer. */
  readonly root: Root | null;
  /** What the turn's model calls so far returned beside their messages. */
  readonly calls: readonly StagedCall[];
  /** The last round of tools; absent before the first. */
  readonly round?: ToolRound;
  /** The calls of tools in all rounds so far. */
  readonly tool_calls: readonly InterruptedToolCall[];
  /** Rounds of them; absent before the first. */
  readonly tool_rounds?: number;
  /** What tools handed over. */
  readonly tool_files: readonly FileMarker[];
  /** Calls that wait, or have waited, for somebody's word. */
  readonly approvals: readonly Approval[];
  /** What approvers have given for calls of the last round in the place of their arguments, those counted that did not fit; absent before the first. */
  readonly edited_bytes?: number;
  /** Milliseconds in which something waited for approval: the turn's time does not run then. */
  readonly parked_ms: number;
  /** Up to when that is counted. */
  readonly parked_until_ms?: number;
}

/** All that is needed to go on with a round, in whichever run. */
export interface ToolRound {
  readonly calls: readonly PlannedCall[];
  /** What each call has answered, in the order of the calls; null for one that has not. */
  readonly results: readonly (RoundResult | null)[];
}

export interface Approval {
  /** Which of the turn's tool calls, over all rounds, from 1. */
  readonly call: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
  readonly asked_at: string;
  readonly decision: ApprovalDecision | null;
}

export interface ApprovalDecision {
  readonly approved: boolean;
  readonly at: string;
  readonly reason?: string;
  /** In the place of the model's, where the approver has changed them. */
  readonly arguments?: JsonObject;
}

/** A model call after which tools are run. */
export type StagedCall = Omit<CallModelResult, "messages" | "tool_calls">;

export interface ConversationState {
  readonly head: ConversationHead;
  readonly segments: readonly Segment[];
  readonly tail: Segment;
  /** Size of the tail as JSON, kept as it grows. */
  readonly tailBytes: number;
  readonly running: RunningTurn | null;
  /** Id of the ended turn after which the checkpoint is being written. */
  readonly checkpointing: string | null;
  /** Rises with every change that a reader of pages could see. */
  readonly version: number;
}

/** One of the growing lists, whole. */
export function listOf<Name extends ListName>(state: ConversationState, name: Name): Segment[Name] {
  if (state.segments.length === 0) return state.tail[name];
  return [
    ...state.segments.flatMap((segment) => segment[name] as readonly unknown[]),
    ...state.tail[name],
  ] as unknown as Segment[Name];
}

export function messageCount(state: ConversationState): number {
  return state.head.root.count;
}

/** The index entry of a turn that has ended, whichever segment it lies in. The newest segment is searched first. */
export function findTurn(state: ConversationState, turnId: string): TurnIndexEntry | undefined {
  const found = state.tail.turn_index.find((entry) => entry.turn_id === turnId);
  if (found !== undefined) return found;
  for (let at = state.segments.length - 1; at >= 0; at--) {
    const entry = state.segments[at]?.turn_index.find((candidate) => candidate.turn_id === turnId);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** The messages of a committed turn. */
export function turnMessages(state: ConversationState, turn: CommittedTurnEntry): readonly NativeMessage[] {
  return listOf(state, "messages").slice(turn.from, turn.to);
}

/** A changed head, and a version that says so. */
export function withHead(state: ConversationState, change: Partial<ConversationHead>): ConversationState {
  return { ...state, head: { ...state.head, ...change }, version: state.version + 1 };
}

/** A tail with more at its end. */
export function appended(segment: Segment, more: Partial<Segment>): Segment {
  const result: Record<string, unknown> = { ...segment };
  for (const name of LIST_NAMES) {
    const added = more[name];
    if (added !== undefined && added.length > 0) result[name] = [...segment[name], ...added];
  }
  return result as unknown as Segment;
}
