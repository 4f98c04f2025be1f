/** A dialect: everything that must be known of one wire format to keep, extend and read a history written in it. */

import type { ToolSpec } from "../agent.js";
import type { FinishReason, MediaKind, NativeMessage, Usage } from "../envelope/envelope.js";
import type { HistoryIssue } from "../errors/errors.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { DialectName } from "../providers.js";

/** What the wire takes, as data: never `if (dialect === …)` outside a dialect's own folder. */
export interface DialectCapabilities {
  /** The wire family written into `turn_index[].endpoint`. */
  readonly endpoint: string;
  /** MIME types that may be attached to a user message. A trailing `/*` stands for a whole family. */
  readonly attachments: readonly string[];
  /** Types beyond those that a history may hold all the same, as conversions and tools bring them. */
  readonly alsoInHistory?: readonly string[];
  /** Whether the history itself may hold system text, or it lives beside the history in the envelope's `system`. */
  readonly systemInHistory: boolean;
}

/** A file to be attached to a user message. `data` is base64, or a `$media:` marker that stands for it. */
export interface FilePart {
  readonly mime_type: string;
  readonly name: string;
  readonly data: string;
}

/** One place in a message where the bytes of a media part stand as base64 (or as a marker that replaces them). */
export interface MediaSlot {
  readonly kind: MediaKind;
  readonly mime_type: string;
  readonly data: string;
  /** Where in the message, as a dotted path: `content.1.source.data`. */
  readonly path: string;
  /** Present where the wire itself carries the bytes as plain text; `data` shows their base64 all the same. */
  readonly as_text?: true;
}

/** A part of a message that is, or may be sent as, a file which the service keeps: a marker, or the address of one. */
export interface FileSlot {
  /** As the part has it; undefined where it names none. */
  readonly mime_type: string | undefined;
  /** The key in the marker. Absent for an address. */
  readonly key?: string;
  readonly uri?: string;
}

/** What is to stand in a slot: an address, a marker (of this type, where the part names none), or a text in the part's place. */
export type FileSubstitute =
  | { readonly uri: string }
  | { readonly marker: string; readonly mime_type: string }
  | { readonly text: string };

/** A call the model made of a client-run tool. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
  /** The kind of item that answers it, where that is another than the one of functions. */
  readonly answer?: string;
}

export interface ToolResult {
  readonly call: Omit<ToolCall, "arguments">;
  readonly output: JsonValue;
  readonly is_error: boolean;
}

export interface Dialect {
  readonly name: DialectName;
  readonly capabilities: DialectCapabilities;
  /** wire.ts: what makes this value not a message of the dialect (empty: it is one). Shape only, never across messages. */
  checkMessage(value: unknown, index: number): readonly HistoryIssue[];
  /** wire.ts: the message with the `data` of every media slot replaced; the very same object when nothing changed. */
  mapMedia(message: NativeMessage, replace: (slot: MediaSlot) => string): NativeMessage;
  /**
   * files.ts, only where the service keeps uploaded files: the message with what `substitute` gives in the place of each
   * slot; the very same object when nothing changed. A marker that becomes an address and a marker again comes back as it was.
   */
  mapFiles?(
    message: NativeMessage,
    substitute: (slot: FileSlot) => FileSubstitute | undefined,
  ): NativeMessage;
  /** media-text.ts: the message with a text in the place of the medium whose slot has this path. */
  withMediaText(message: NativeMessage, path: string, text: string): NativeMessage;
  /** to-wire.ts: the message that puts a user's text and files into the history. Files stand before the text. */
  userMessage(text: string, files: readonly FilePart[]): NativeMessage;
  /** tools.ts: tool definitions as the request has them. */
  toolDefinitions(tools: readonly ToolSpec[]): readonly JsonObject[];
  /** tools.ts: request params that no longer demand a call; the very same object where they demand none. */
  withFreeToolChoice(params: JsonObject): JsonObject;
  /** tools.ts: the messages that carry the results of one round, in call order. */
  toolResultMessages(results: readonly ToolResult[]): readonly NativeMessage[];
  /** from-wire.ts: a message with results of client-run tools in it. */
  hasToolResults(message: NativeMessage): boolean;
  /** from-wire.ts: a message at which a user's turn starts (from the user, and not only tool results). */
  startsTurn(message: NativeMessage): boolean;
  /** from-wire.ts: the visible text that the model answered with in these messages, joined. */
  outputText(messages: readonly NativeMessage[]): string;
  /** from-wire.ts: the client-run tool calls that these messages leave unanswered, in order. */
  openToolCalls(messages: readonly NativeMessage[]): readonly ToolCall[];
  /** usage.ts: neutral usage from the provider's raw one; what is absent counts as 0. */
  usage(raw: JsonValue | undefined): Usage;
  /** finish-reason.ts */
  finishReason(raw: string | null | undefined): FinishReason;
}
