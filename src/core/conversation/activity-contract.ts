/** What the workflow asks of activities. The workflow proxies these types; the worker implements them. */
import type { AgentSpec } from "../agent.js";
import type { BudgetLimits } from "../budget.js";
import type { ToolCall, ToolResult } from "../dialects/dialect.js";
import type {
  ConversionReportEntry,
  FileMarker,
  FinishReason,
  MediaEntry,
  MediaReportEntry,
  NativeMessage,
  Prefix,
  ToolCallState,
  Usage,
} from "../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { DialectName } from "../providers.js";
import type { BudgetUse, OverBudget } from "./budget-use.js";
import type { MediaUpload } from "./messages.js";
import type { ServedRange } from "./provenance.js";

/** A point in a history: how many messages, and the hash chain over them (hex SHA-256). */
export interface Root {
  readonly count: number;
  readonly digest: string;
}

/** The delta protocol: the history up to `root` is not in the event; the worker has it cached or reads it by query. */
export interface CallModelInput {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly turn_id: string;
  /** Where the history stands before this call, staged messages of the turn included. */
  readonly root: Root;
  /** The user's message on the turn's first call, or the message that sends an answer back. Absent on any other. */
  readonly user?: { readonly text: string; readonly files?: readonly FileMarker[] };
  /** Which call of the turn this is, from 0; absent on the first. */
  readonly round?: number;
  /** What the tools answered that the turn's call before this one asked for, in call order. */
  readonly results?: readonly RoundResult[];
  /** What the turn has had before this call; absent on the first. */
  readonly before?: TurnSoFar;
  /** JSON Schema that the turn asks of its final answer; absent where the agent's own counts. */
  readonly output_schema?: JsonObject;
  /** Present once an answer of the turn was sent back because it did not fit its schema: it is not done twice. */
  readonly repaired?: true;
  /** Digest of the agent's context; the context itself is read by query where the worker does not have it. */
  readonly agent: string;
  /**
   * Fingerprint of the prefix of which the conversation knows; only where a worker may know another: for a named agent,
   * and for tools of which the conversation has no more than the name.
   */
  readonly prefix?: string;
  /** Present when the end frame is left to the checkpoint activity. */
  readonly quiet?: true;
  /** Present where there may be a budget: the agent's, the turn's own, or that of a worker's agent of the same name. */
  readonly budget?: BudgetInput;
  /** The run's history before this call; absent on the turn's first. */
  readonly run_length?: RunLength;
}

/** Of the history of one run, as the server has it. */
export interface RunLength {
  readonly events: number;
  readonly bytes: number;
}

/** What a worker cannot know of a budget's use. What the turn has used stands in `before`. */
export interface BudgetInput {
  /** The turn's own limits, beside the agent's. */
  readonly run?: BudgetLimits;
  /** By the conversation's ended turns. */
  readonly spent: BudgetUse;
  /** Rounds of tools that the turn has had. */
  readonly rounds: number;
  /** Tokens that the request holds at the least, by what the turn's last call was counted at; absent on the first. */
  readonly carried?: number;
}

/** The sums of the turn's earlier calls, for the result that the end frame shows. */
export interface TurnSoFar {
  /** How many attempts of the turn were given up before this call. */
  readonly lost_attempts: number;
  /** Where the turn's messages start in the history. */
  readonly from: number;
  readonly provider_calls: number;
  /** Those that were started, and all that were asked for. */
  readonly tool_calls: number;
  readonly asked_calls: number;
  readonly usage: Usage;
  readonly cost?: number;
  readonly media_uploads?: readonly MediaUpload[];
  readonly media_report?: readonly MediaReportEntry[];
}

/** A tool's result with the files that it handed over, which lie in the working store. */
export interface RoundResult extends ToolResult {
  readonly files?: readonly FileMarker[];
}

/** A call of a tool as it is to be run: bound as the tool says that the worker had registered when the model asked for it. */
export interface PlannedCall extends ToolCall {
  /** Absent where no worker has the tool: the model is told. */
  readonly timeout_ms?: number;
  /** Runs as a local activity. */
  readonly local?: true;
  /** Somebody has to approve it first. */
  readonly approval?: true;
  /** It is one too many, or too large: not run, and the model is told this in the place of a result. */
  readonly refused?: string;
}

export interface CallModelResult {
  /** New messages only: the user's or the tools' results first, then the model's. */
  readonly messages: readonly NativeMessage[];
  readonly root: Root;
  readonly model: string;
  readonly endpoint: string;
  readonly usage: Usage;
  /** Absent where the worker has no price of the model. */
  readonly cost?: number;
  readonly raw_usage: JsonValue;
  readonly finish_reason: FinishReason;
  readonly attempt: number;
  readonly provider_calls: number;
  readonly simulated?: true;
  readonly media?: Readonly<Record<string, MediaEntry>>;
  readonly media_report?: readonly MediaReportEntry[];
  readonly media_uploads?: readonly MediaUpload[];
  /** Present when the deployed agent's prefix is not the one that was asked for. */
  readonly prefix?: Prefix;
  /** Present with `prefix` where only tools of which no more than the name was known have got their definitions. */
  readonly prefix_completed?: true;
  readonly turns_left_out?: number;
  /** What was mended of the history in the request only, at most the first 20. */
  readonly request_mended?: readonly ConversionReportEntry[];
  /** Present where the answer fits the schema that was asked for. */
  readonly structured?: true;
  /** The message that sends an answer back which does not fit its schema; the turn goes on with one more call. */
  readonly repair?: string;
  /** Why the answer does not fit its schema, where it is not sent back. */
  readonly invalid_output?: string;
  /** The tools that the model wants run before it goes on; absent for its last answer. */
  readonly tool_calls?: readonly PlannedCall[];
  /** Present with `tool_calls` that are one round more than this many, which are all that the worker allows. */
  readonly round_limit?: number;
  /** Present with `tool_calls` for which the run's history has no room: why, in one line. */
  readonly run_full?: string;
  /** Present with `tool_calls` where the budget does not allow them, or the call that would follow them. */
  readonly over_budget?: OverBudget;
}

/** Which call of a turn readers are told of. What is optional is absent from what an earlier build has scheduled. */
export interface ToldCall {
  readonly conversation_id: string;
  readonly turn_id: string;
  /** ISO 8601. */
  readonly turn_started_at?: string;
  /** Which of the turn's tool calls, over all rounds, from 1. */
  readonly number?: number;
  /** The model call of the turn that asked for it, from 0. */
  readonly round: number;
  /** Of the turn. */
  readonly attempt: number;
}

export interface CallToolInput extends ToldCall {
  /** Among the calls of that round, from 0. */
  readonly position: number;
  readonly call: ToolCall;
  /** Whether the worker that made the model call has the tool, and the agent offers it. */
  readonly known: boolean;
  /** Present where it has waited for approval and got it; `edited`: with other arguments than the model's. */
  readonly approval?: { readonly reason?: string; readonly edited?: true };
  /** Present when the end frame is left to the checkpoint activity. */
  readonly quiet?: true;
}

/** What goes to the model. A tool that fails gives an outcome as well. */
export interface ToolOutcome {
  readonly output: JsonValue;
  readonly is_error: boolean;
  readonly files?: readonly FileMarker[];
  /** The whole of an output that was too large for the model. */
  readonly stored?: FileMarker;
}

/** `details[0]` of a call that was stopped or that failed the turn. */
export interface CallToolFailureDetails {
  readonly tool_state: ToolCallState;
}

/** `details[0]` of a failed or cancelled call, for the interrupted record. */
export interface CallModelFailureDetails {
  readonly attempt: number;
  readonly provider_calls: number;
  readonly partial_text?: string;
  readonly usage?: Usage;
  readonly cost?: number;
}

/** Asked when a turn is stopped: what has its call cost so far? */
export interface ReadSpentInput {
  readonly conversation_id: string;
  readonly run_id: string;
}

/** A turn that was stopped and whose call did not answer. */
export interface TellStoppedInput {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly attempt: number;
}

/** A tool call that is not run since somebody denied it. */
export interface TellDeniedInput extends ToldCall {
  readonly number: number;
  readonly id: string;
  readonly reason?: string;
  /** What the model is told. */
  readonly output: string;
}

/** What an approver gives in the place of a model's arguments. */
export interface CheckArgumentsInput {
  readonly name: string;
  readonly arguments: JsonObject;
}
/** `issues`: what does not fit, a line each, at most 20; none where the arguments fit, and where this worker cannot tell. */
export interface CheckArgumentsResult {
  readonly issues: readonly string[];
}

export interface CheckpointInput {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly path: string;
  readonly turn_id: string;
}
export interface CheckpointResult {
  readonly run_count: number;
}

/** What the worker needs of the conversation's agent to make a call; cached by its digest. */
export interface AgentContext {
  readonly agent: AgentSpec;
  readonly system: string | null;
  /** Who made the messages before the agent's own. */
  readonly served: readonly ServedRange[];
}

/** Asked of the worker before a rebind: can it call that model, and what are the agent's hashes? */
export interface ResolveAgentInput extends AgentContext {}
export interface ResolvedAgent {
  readonly prefix: Prefix;
  readonly agent_digest: string;
}

/** Asked of the worker before a rebind to another dialect. */
export interface ConvertConversationInput {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly agent: AgentSpec;
  /** Present where the caller forbids conversion; the worker may forbid it as well. */
  readonly convert?: false;
}

/** What a conversion would do; nothing is changed for it. */
export interface ConversionPreview {
  readonly converted_from: DialectName;
  readonly report: readonly ConversionReportEntry[];
  readonly message_count: number;
  /** Of the converted history, at four bytes a token. */
  readonly estimated_tokens: number;
}

/**
 * The whole converted history: the one result that carries a transcript, once a rebind across providers (decision 0020).
 */
export interface ConvertedConversation extends ResolvedAgent {
  readonly converted_from: DialectName;
  readonly report: readonly ConversionReportEntry[];
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
  /** Where each committed turn starts and ends in the converted history, in their order. */
  readonly turns: readonly (readonly [from: number, to: number])[];
  readonly attic: readonly JsonObject[];
  readonly media: Readonly<Record<string, MediaEntry>>;
  readonly root: Root;
}

export interface KeepEnvelopeInput {
  readonly conversation_id: string;
  readonly run_id: string;
}

export interface ConfirmMoveInput {
  readonly conversation_id: string;
  readonly run_id: string;
}

export interface ConversationActivities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  /** @throws a failure of type `tool.failed` where the tool says that the turn should fail. */
  callTool(input: CallToolInput): Promise<ToolOutcome>;
  /** Shows a denial to the readers of the turn. */
  tellDenied(input: TellDeniedInput): Promise<void>;
  checkArguments(input: CheckArgumentsInput): Promise<CheckArgumentsResult>;
  /** Local: it only looks. Null where no call is pending. */
  readSpent(input: ReadSpentInput): Promise<CallModelFailureDetails | null>;
  /** Local: sends the turn's end frame in the place of a call whose worker has died. */
  tellStopped(input: TellStoppedInput): Promise<void>;
  /** @throws a failure of type `checkpoint.failed`; the turn stays committed. */
  checkpoint(input: CheckpointInput): Promise<CheckpointResult>;
  /** @throws a failure of type `MissingKeyError` or `UsageError`. */
  resolveAgent(input: ResolveAgentInput): Promise<ResolvedAgent>;
  /** @throws a failure of type `SessionCompatibilityError`, `MissingKeyError` or `UsageError`. */
  convertConversation(input: ConvertConversationInput): Promise<ConvertedConversation>;
  previewConversion(input: ConvertConversationInput): Promise<ConversionPreview>;
  /** Keeps the last envelope of a conversation that closes as a blob of the working store. */
  keepEnvelope(input: KeepEnvelopeInput): Promise<void>;
  /** Sends a run that is to continue as new the update with which it does. */
  confirmMove(input: ConfirmMoveInput): Promise<void>;
}
