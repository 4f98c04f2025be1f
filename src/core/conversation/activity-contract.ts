/** What the workflow asks of activities. The workflow proxies these types; the worker implements them. */
import type { AgentSpec } from "../agent.js";
import type {
  ConversionReportEntry,
  FileMarker,
  FinishReason,
  MediaEntry,
  MediaReportEntry,
  NativeMessage,
  Prefix,
  Usage,
} from "../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { DialectName } from "../providers.js";
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
  /** The user's message on the turn's first call. Absent on a later one of the same turn. */
  readonly user?: { readonly text: string; readonly files?: readonly FileMarker[] };
  /** Digest of the agent's context; the context itself is read by query where the worker does not have it. */
  readonly agent: string;
  /** Fingerprint of the prefix of which the conversation knows; only for a named agent, which a worker may have deployed. */
  readonly prefix?: string;
  /** Present when the end frame is left to the checkpoint activity. */
  readonly quiet?: true;
}

export interface CallModelResult {
  /** New messages only: the user's first, then the model's. */
  readonly messages: readonly NativeMessage[];
  readonly root: Root;
  readonly model: string;
  readonly endpoint: string;
  readonly usage: Usage;
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
  readonly turns_left_out?: number;
  /** What was mended of the history in the request only, at most the first 20. */
  readonly request_mended?: readonly ConversionReportEntry[];
}

/** `details[0]` of a failed or cancelled call, for the interrupted record. */
export interface CallModelFailureDetails {
  readonly attempt: number;
  readonly provider_calls: number;
  readonly partial_text?: string;
  readonly usage?: Usage;
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
 * The whole converted history: the one result that carries a transcript, once a rebind across providers (design rule 15).
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
