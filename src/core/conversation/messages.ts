/** The messages of the conversation workflow: names and shapes, frozen for callers in any language. */
import type { AgentSpec } from "../agent.js";
import type { BudgetLimits } from "../budget.js";
import type {
  AccountingTotals,
  ConversionReportEntry,
  EnvelopeMetadata,
  FileMarker,
  FinishReason,
  InterruptedTurn,
  MediaReportEntry,
  Prefix,
  PrefixChangeReport,
  Usage,
} from "../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { DialectName, ProviderName } from "../providers.js";
import type { BudgetUse } from "./budget-use.js";

export const WORKFLOW_TYPE = "conversation";
export const DEFAULT_TASK_QUEUE = "holdfast";

/** Most bytes that a query answers; pages are cut by it (CNV-34). */
export const PAGE_BYTES: number = 96 * 1024;

export type OnBusy = "queue" | "reject" | "interrupt";

export interface Submission {
  readonly turn_id?: string;
  readonly message: string;
  readonly files?: readonly FileMarker[];
  readonly on_busy?: OnBusy;
  readonly resend_of?: string;
  /** JSON Schema that the answer must fit, in the place of the agent's; at most 32 KiB. */
  readonly output_schema?: JsonObject;
  /** A workflow that hears by the signal `turn_ended` how the turn ended: workflows can neither send updates nor query. */
  readonly reply_to?: ReplyAddress;
  /** Of this turn, beside the agent's: the tighter one of each two limits holds. */
  readonly budget?: BudgetLimits;
}

export interface ReplyAddress {
  readonly workflow_id: string;
}

/** What the signal `turn_ended` brings to the workflow of `reply_to`. */
export interface TurnEnded {
  readonly conversation_id: string;
  readonly turn: TurnView;
}

export type TurnState = "queued" | "running" | "committed" | "interrupted" | "refused";

/** The answer to an accepted submission. `position` 0 runs now or has ended; n waits behind n turns. */
export interface Receipt {
  readonly turn_id: string;
  readonly position: number;
  readonly state: TurnState;
}

export interface MediaUpload {
  readonly uri: string;
  readonly expiration_time: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

/** A committed turn's result. `output` is null where it would not fit a query: read it from the messages. */
export interface TurnResult {
  readonly turn_id: string;
  readonly output: string | null;
  /** Present where a schema was asked for: the answer fits it. */
  readonly structured?: true;
  /** The value of a structured answer; left out above 32 KiB, where the output has to be read for it. */
  readonly output_data?: JsonValue;
  readonly messages: { readonly from: number; readonly to: number };
  readonly provider: ProviderName;
  readonly model: string;
  readonly simulated: boolean;
  readonly usage: Usage;
  /** Absent where no price was known. */
  readonly cost?: number;
  readonly finish_reason: FinishReason | null;
  readonly provider_calls: number;
  /** Calls of tools; absent where an earlier release made the result. */
  readonly tool_calls?: number;
  readonly media_uploads: readonly MediaUpload[];
  /** Digest of the history after the turn, and the attempt that won. */
  readonly digest: string;
  readonly attempt: number;
  /** Turns left out of the request by the agent's send window. */
  readonly turns_left_out?: number;
  /**
   * What the provider would have refused of the history and was mended in the request only; the history stays as it is. `index` is
   * the place in the history. At most the first 20, and known of the last turn only.
   */
  readonly request_mended?: readonly ConversionReportEntry[];
  /** What happened to attachments in the turn's requests, also what an earlier turn has reported. Bounded as `request_mended` is. */
  readonly media_report?: readonly MediaReportEntry[];
}

export interface TurnView {
  readonly turn_id: string;
  readonly state: TurnState | "unknown";
  readonly position?: number;
  readonly result?: TurnResult;
  readonly interrupted_turn?: InterruptedTurn;
  readonly reason?: string;
  readonly error?: string;
  /** Only where a checkpoint is set: whether the file holds this turn; null while it is being written. */
  readonly checkpointed?: boolean | null;
  /** Only of a running turn that has been told to stop, and has not ended yet. */
  readonly stopping?: true;
}

/** `agent` names at least the model; what it leaves out stays as it is. The worker works out the hashes. */
export interface RebindRequest {
  readonly agent: Partial<AgentSpec> & Pick<AgentSpec, "model">;
  /** False: a history of another provider is refused unless it is plain text. */
  readonly convert?: boolean;
}

export interface CancelRequest {
  readonly turn_id?: string;
  readonly reason?: string;
}

/** `call`: the number that `status` shows, or the call's id where it is the only one that waits under it. */
export interface ApproveRequest {
  readonly call: number | string;
  readonly turn_id?: string;
  readonly reason?: string;
  /** What the tool gets instead of the model's arguments. */
  readonly arguments?: JsonObject;
}
export type DenyRequest = Omit<ApproveRequest, "arguments">;

/** A tool call that waits for `approve` or `deny`. */
export interface PendingApproval {
  readonly turn_id: string;
  readonly call: number;
  readonly id: string;
  readonly name: string;
  /** As JSON text, at most its first 2,000 characters. */
  readonly arguments: string;
  readonly asked_at: string;
}

export interface CheckpointStatus {
  readonly path: string;
  /** Of the file as it was last written, and the turn after which; null before the first time. */
  readonly run_count: number | null;
  readonly turn_id: string | null;
  readonly error: string | null;
}

/** Limits, and what is used of them: by the turn that runs, and by all turns of the conversation. */
export interface BudgetStatus {
  readonly turn?: BudgetAndUse;
  readonly conversation?: BudgetAndUse;
}
export interface BudgetAndUse {
  readonly limits: BudgetLimits;
  readonly used: BudgetUse;
}

export interface ConversationStatus {
  readonly conversation_id: string;
  readonly state: "idle" | "running" | "closing" | "closed";
  readonly running: string | null;
  /** Ids of the turns that wait, next one first, as far as they fit the answer. */
  readonly queued: readonly string[];
  readonly provider: ProviderName;
  readonly model: string;
  readonly run_count: number;
  readonly message_count: number;
  readonly restored_from_schema_version: number | null;
  readonly checkpoint: CheckpointStatus | null;
  /** Tool calls that wait for somebody's word. */
  readonly approvals: readonly PendingApproval[];
  /** Absent without a budget. */
  readonly budget?: BudgetStatus;
  /** The last refusals of signals, newest last, at most 20. */
  readonly refusals: readonly {
    readonly at: string;
    readonly name: string;
    readonly reason: string;
    readonly error: string;
  }[];
}

/** A tool call of the turn that runs. */
export interface RunningToolCall {
  /** Which of the turn's, over all rounds, from 1. */
  readonly call: number;
  readonly name: string;
  /** As JSON text, at most its first 200 characters; of the last round only. Those of the approver, where some were given. */
  readonly arguments?: string;
  readonly state: "not_started" | "waits_for_approval" | "denied" | "running" | "settled";
}

export interface RunningTurnView {
  readonly turn_id: string;
  /** At most its first 2,000 characters. */
  readonly message: string;
  /** Of the whole message, in UTF-16 code units. */
  readonly message_characters: number;
  /** How many came with it. */
  readonly files: number;
  readonly started_at: string;
  readonly tool_call_count: number;
  /** The last ones, at most 50. */
  readonly tool_calls: readonly RunningToolCall[];
}

/** All small fields in one answer. */
export interface ConversationDescription extends ConversationStatus {
  /** Absent where no turn runs. */
  readonly running_turn?: RunningTurnView;
  readonly created_at: string;
  readonly agent_name: string | null;
  readonly metadata: EnvelopeMetadata;
  readonly totals: AccountingTotals;
  readonly prefix: Prefix;
  readonly prefix_change_report: PrefixChangeReport | null;
  readonly converted_from: DialectName | null;
  readonly has_interrupted_turn: boolean;
}

export interface PageRequest {
  readonly from?: number;
  readonly part?: number;
  readonly limit?: number;
}

/** One page of a list. An entry too large for a page comes in parts of its JSON text. */
export interface Page<T = JsonValue> {
  readonly entries: readonly (
    | { readonly index: number; readonly value: T }
    | { readonly index: number; readonly part: number; readonly parts: number; readonly text: string }
  )[];
  readonly total: number;
  readonly next: { readonly from: number; readonly part: number } | null;
  /** The version of the state, so that a reader of several pages sees that it changed between them. */
  readonly version: number;
}

/** What a closed conversation's workflow returns where something went wrong at the end. */
export interface ConversationEnd {
  /** Why the last envelope was not kept. */
  readonly envelope_error: string;
}
