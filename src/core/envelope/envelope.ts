/** The envelope, schema version 3: a conversation's whole state as one JSON document. Keys are snake_case everywhere. */
import type { AgentSpec } from "../agent.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { DialectName, ProviderName } from "../providers.js";

export const SCHEMA_VERSION = 3;

/** The model of a history that does not say by which one it was made. */
export const UNKNOWN_MODEL = "unknown";

/** One native message or item, as the provider's wire has it. */
export type NativeMessage = JsonObject;

/** Token counts in neutral fields; the provider's own usage is kept beside them as `raw_usage`. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
}

export const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter", "error", "other"] as const;
/** The unified reason beside the provider's own word for it. */
export interface FinishReason {
  readonly unified: (typeof FINISH_REASONS)[number];
  readonly raw: string | null;
}

/** What precedes the history on every call, as hashes (hex SHA-256). */
export interface Prefix {
  readonly fingerprint: string;
  readonly instructions_sha256: string;
  readonly tools: readonly { readonly name: string; readonly sha256: string }[];
}

export interface PrefixChangeReport {
  readonly instructions: boolean;
  readonly tools: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
}

/** An attached file as it travels: its bytes lie in the working store under the marker's key. */
export interface FileMarker {
  /** `$media:<sha256>.<ext>` */
  readonly marker: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly name: string;
  /** As in the media table. */
  readonly json_bytes?: number;
}

export type ToolCallState = "not_started" | "unknown" | "settled";

export interface InterruptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly state: ToolCallState;
}

/** The record of a turn that did not complete. The first four keys are the recipe's. */
export interface InterruptedTurn {
  /** Dotted: `provider.overloaded`, `turn.cancelled`, `turn.timeout`, `worker.lost`, … */
  readonly error_type: string;
  readonly error: string;
  readonly failed_at: string;
  /** The text of the question, to be sent again. */
  readonly message: string;
  readonly turn_id?: string;
  readonly attempts?: number;
  readonly partial_text?: string;
  readonly tool_calls?: readonly InterruptedToolCall[];
  readonly usage?: Usage;
  /** Of the calls whose price was known. */
  readonly cost?: number;
  readonly files?: readonly FileMarker[];
  /** JSON Schema that the turn had asked of its answer; absent where it asked for none of its own. */
  readonly output_schema?: JsonObject;
}

/** Who served a turn; also the provenance of the opaque blocks in its messages. */
export interface ServedBy {
  readonly provider: ProviderName;
  /** The wire family: `anthropic-messages`, `openai-responses`, `google-generate-content`, `chat-completions`. */
  readonly endpoint: string;
  readonly model: string;
  /** Present when the simulator answered in the provider's place. */
  readonly simulated?: true;
}

export interface CommittedTurnEntry extends ServedBy {
  readonly turn_id: string;
  readonly state: "committed";
  /** Index of its first message, and the index after its last one. */
  readonly from: number;
  readonly to: number;
  /** Its answer is a JSON value that fits the schema which was asked for. */
  readonly structured?: true;
  readonly resend_of?: string;
}
export interface InterruptedTurnEntry {
  readonly turn_id: string;
  readonly state: "interrupted";
  readonly record: InterruptedTurn;
  readonly resend_of?: string;
}
export interface RefusedTurnEntry {
  readonly turn_id: string;
  readonly state: "refused";
  readonly reason: string;
  readonly error?: string;
}
export type TurnIndexEntry = CommittedTurnEntry | InterruptedTurnEntry | RefusedTurnEntry;

export interface ServedModel {
  readonly event: "start" | "restore" | "rebind";
  readonly provider: ProviderName;
  readonly model: string;
  readonly at: string;
  /** How many turns had been committed when it happened. */
  readonly turn: number;
  readonly from?: { readonly provider: ProviderName; readonly model: string };
}

export interface TurnAccount {
  readonly turn_id: string;
  readonly state: "committed" | "interrupted";
  readonly provider: ProviderName;
  readonly model: string;
  readonly simulated?: true;
  readonly started_at: string;
  readonly finished_at: string;
  /** Attempts that reached the provider, failed ones included. */
  readonly provider_calls: number;
  readonly tool_calls: number;
  /** Rounds of tools that were run; absent for none, and where an earlier release made the account. */
  readonly tool_rounds?: number;
  readonly usage: Usage;
  /** As the worker worked it out from the prices that it was given; absent where it knew none. */
  readonly cost?: number;
  /** One entry a provider call that answered. */
  readonly raw_usage: readonly JsonValue[];
  readonly finish_reason: FinishReason | null;
  readonly error_type?: string;
  readonly error?: string;
}

export interface AccountingTotals {
  /** Committed turns. */
  readonly turns: number;
  readonly provider_calls: number;
  readonly tool_calls: number;
  readonly tool_rounds?: number;
  readonly usage: Usage;
  /** Of all whose price was known. */
  readonly cost?: number;
}

export type MediaPolicy = "inline" | "externalize" | "strip";
export type MediaPolicyOption = MediaPolicy | "auto";
export type MediaKind = "image" | "document" | "audio" | "video" | "file";

/** One entry of the media table, keyed by the hex SHA-256 of the bytes. */
export interface MediaEntry {
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Bytes of a text inside a JSON string, escapes included: what it takes on a wire that carries it as plain text. */
  readonly json_bytes?: number;
  readonly name?: string;
  readonly uri?: string;
  readonly expiration_time?: string;
  /** Base64 of the bytes. */
  readonly data?: string;
  /** The store key, `<sha256>.<ext>`. */
  readonly ref?: string;
}

export interface MediaReportEntry {
  readonly reason:
    | "missing_blob"
    | "over_inline_threshold"
    | "expired_reuploaded"
    | "dead_uri_reuploaded"
    | "expired_unavailable"
    | "stripped"
    | "invalid_media";
  readonly mime_type: string;
  readonly size: number;
  readonly message_index: number;
  /** The file's name, where the media table knows it. */
  readonly name?: string;
  readonly uri?: string;
  readonly detail?: string;
  readonly preserved?: boolean;
}

export interface ConversionReportEntry {
  readonly kind: "dropped" | "rekeyed" | "textified" | "moved" | "added" | "wrapped" | "changed";
  readonly artefact?: string;
  readonly index: number;
  readonly detail?: string;
}

export interface EnvelopeMetadata {
  readonly run_count: number;
  readonly served_models: readonly ServedModel[];
  readonly [key: string]: unknown;
}

/** Key order here is the order in the file. Unknown top-level keys ride along and are written after the known ones. */
export interface Envelope {
  readonly schema_version: typeof SCHEMA_VERSION;
  readonly conversation_id: string;
  readonly created_at: string;
  readonly saved_at: string;
  readonly provider: ProviderName;
  readonly model: string;
  /** The agent's name where a worker has it registered, else its whole definition. Null where it is not known. */
  readonly agent: AgentSpec | string | null;
  readonly system: string | null;
  readonly prefix: Prefix | null;
  readonly messages: readonly NativeMessage[];
  readonly turn_index: readonly TurnIndexEntry[];
  readonly metadata: EnvelopeMetadata;
  readonly accounting: { readonly turns: readonly TurnAccount[]; readonly totals: AccountingTotals };
  readonly interrupted_turn: InterruptedTurn | null;
  readonly media_policy: MediaPolicy;
  readonly media: Readonly<Record<string, MediaEntry>>;
  readonly media_report: readonly MediaReportEntry[];
  readonly converted_from: DialectName | null;
  readonly conversion_report: readonly ConversionReportEntry[];
  readonly attic: readonly JsonObject[];
  readonly copied_from?: { readonly conversation_id: string; readonly turn: number };
  /** Hex SHA-256 over the canonical JSON (RFC 8785) of everything else. */
  readonly checksum?: string;
  readonly [unknown: string]: unknown;
}

export interface PersistenceReport {
  readonly size_bytes: number;
  readonly message_count: number;
  readonly media_count: number;
  readonly media: readonly {
    readonly message_index: number;
    readonly kind: MediaKind;
    readonly mime_type: string;
    readonly size_bytes: number;
  }[];
}
