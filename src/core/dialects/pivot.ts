/** The neutral pivot: what a history says, in no dialect. Readers make it, the repair pass mends it, writers spell it out. */
import type { ConversionReportEntry, MediaEntry } from "../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../json.js";

/** Where something stood in the source: its place in the top-level list, and inside it a path such as `content[1].source`. */
export interface Origin {
  readonly index: number;
  readonly path: string;
}

export interface PivotText {
  readonly kind: "text";
  readonly text: string;
  readonly origin: Origin;
  /** Continues the text before it without a break: an answer that was cut where it cites. */
  readonly continues?: true;
  readonly cacheBreakpoint?: CacheBreakpoint;
}

/** OpenAI's mark that what stands up to here is to be cached, as written; lost (cache-marker) where the target has no place for it. */
export type CacheBreakpoint = JsonValue;

/** A medium with its bytes (base64, or a `$media:` marker that stands for it) or at an address anybody can read. */
export interface PivotMedia {
  readonly kind: "media";
  readonly origin: Origin;
  /** Bare and lower case, `image/jpeg` for all its names; null where nothing says it (an address without an extension). */
  readonly mime_type: string | null;
  readonly source:
    | { readonly type: "data"; readonly data: string }
    | { readonly type: "url"; readonly url: string };
  /** File name or title. */
  readonly name?: string;
  /** OpenAI's detail of an image, where it is not `auto`; lost (metadata) where the target has no place for it. */
  readonly detail?: string;
  readonly cacheBreakpoint?: CacheBreakpoint;
}

export type PivotPart = PivotText | PivotMedia;

/**
 * A call's arguments as the source has them: JSON text (`""` counts as `{}`), or an object. A reader that had to wrap
 * (custom input, an action) gives the object and has reported it; text that is no object is wrapped by a writer that needs one.
 */
export type PivotArguments =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "object"; readonly value: JsonObject };

export interface PivotCall {
  readonly kind: "call";
  readonly origin: Origin;
  /** Null where the source has none (Google, the deprecated function_call). */
  readonly id: string | null;
  /** Never empty: a call without a name is refused by the reader. */
  readonly name: string;
  readonly arguments: PivotArguments;
  /** The text of a free-form call. `arguments` hold it under `input`, which the repair pass reports where the target has no such calls. */
  readonly custom?: string;
}

export interface PivotResult {
  readonly origin: Origin;
  /** The id of the call that it answers; null where the source pairs by name and order. */
  readonly callId: string | null;
  /** The function's name, where the source repeats it. */
  readonly name?: string;
  readonly parts: readonly PivotPart[];
  readonly isError: boolean;
}

/** System text inside a history. `leading`: before anything else was said. */
export interface PivotSystem {
  readonly kind: "system";
  readonly origin: Origin;
  readonly text: string;
  readonly leading: boolean;
  /** It stood where the source's wire has its one system prompt: in front of a list of chat messages. */
  readonly head?: true;
  /** The pieces of the text, where one of them bears a cache breakpoint. */
  readonly parts?: readonly PivotText[];
}
export interface PivotUser {
  readonly kind: "user";
  readonly origin: Origin;
  readonly parts: readonly PivotPart[];
  /** The source had one plain string, not a list of parts. */
  readonly plain?: true;
}
/** One assistant message: its text and media, and the calls that it made, in the order in which they stand. */
export interface PivotAssistant {
  readonly kind: "assistant";
  readonly origin: Origin;
  readonly parts: readonly (PivotPart | PivotCall)[];
}
/** Results of calls, as many as the source has in one message or in neighbouring ones. */
export interface PivotResults {
  readonly kind: "results";
  readonly origin: Origin;
  readonly results: readonly PivotResult[];
}
export type PivotEntry = PivotSystem | PivotUser | PivotAssistant | PivotResults;

/** A part of a list, read by itself: it begins with what a user says, and nothing before it waits for an answer. */
export interface ReadRange {
  readonly first: number;
  /** After the last. */
  readonly end: number;
  /** Whether nothing but system text stands before it. */
  readonly leading: boolean;
}

/** What a reader gives: the entries, and a report entry for all that has no place in any other dialect. */
export interface ReadHistory {
  readonly entries: readonly PivotEntry[];
  readonly report: readonly ConversionReportEntry[];
  /** What comes after the range would change what was read of it. */
  readonly unfinished?: true;
}

/** A call with its final id, valid for the target and unique in the history. */
export interface RepairedCall extends PivotCall {
  readonly id: string;
  /** Valid for the target. */
  readonly name: string;
}
export interface RepairedResult extends PivotResult {
  readonly callId: string;
  readonly name: string;
  /** It answers a free-form call that is written as one. */
  readonly custom?: true;
}
export interface RepairedAssistant {
  readonly kind: "assistant";
  readonly origin: Origin;
  readonly parts: readonly (PivotPart | RepairedCall)[];
}
/**
 * The results of one round: exactly one for each call of the assistant entry right before it, in call order. What the
 * user said beside them follows as a user entry of its own.
 */
export interface RepairedResults {
  readonly kind: "results";
  readonly origin: Origin;
  readonly results: readonly RepairedResult[];
}
export type RepairedEntry = PivotSystem | PivotUser | RepairedAssistant | RepairedResults;

/** One native message with the source places it was made from: the first is where its report entries point. */
export interface WrittenMessage {
  readonly message: JsonObject;
  /** Indices in the source's top-level list; empty for a message that was added (a placeholder). */
  readonly from: readonly number[];
}

export interface WrittenHistory {
  readonly messages: readonly WrittenMessage[];
  /** System text that the target's list has no place for, joined by blank lines; null where there is none. */
  readonly system: string | null;
  readonly report: readonly ConversionReportEntry[];
}

/** What a dialect's writer is told beside the entries. */
export interface WriteContext {
  /** The target model, for what models of one dialect take differently (prefill, mid-history system text). */
  readonly model: string;
  /** System text that came beside the source's list (Anthropic's and Google's `system`), without report. */
  readonly system: string | null;
}

/** The two halves of a dialect's conversion, each exhaustive over its kinds. */
export interface DialectConversion {
  /**
   * Reads native messages. Unknown kinds become report entries (`dropped`, artefact `metadata`, detail naming the kind),
   * never an error.
   *
   * @throws SessionCompatibilityError for a call without a name.
   */
  readHistory(messages: readonly JsonObject[], range?: ReadRange): ReadHistory;
  /** The entries are asked for one by one, and none of them is kept. */
  writeHistory(entries: Iterable<RepairedEntry>, context: WriteContext): WrittenHistory;
  /** The history to be read: files that only the provider holds, with their bytes where the media table has them. */
  withFileBytes?(
    messages: readonly JsonObject[],
    media: Readonly<Record<string, MediaEntry>>,
  ): readonly JsonObject[];
  /**
   * A list with further system text, for the dialects that have it there: in its one place for it, or else as a message of its
   * own. `end`: where the part of it ends to which the text belongs. `inserted`: where a message was put in, if one was.
   */
  addSystem?(
    messages: readonly JsonObject[],
    text: string,
    end: number,
  ): { readonly messages: readonly JsonObject[]; readonly inserted: number | undefined };
  /** All system text of a list stands in its first message. */
  readonly systemInFront?: true;
  /** What the target demands of call ids and tool names, for the repair pass. */
  readonly callIds: CallIdRule;
}

export interface CallIdRule {
  /** Anchored; an id that does not match is re-keyed. */
  readonly pattern: RegExp;
  readonly maxLength: number;
  /** Names of tools; a name that does not match is changed (characters to `_`), reported `changed`, `tool-name`. */
  readonly toolNamePattern: RegExp;
  /** The wire has calls whose input is free text; where it has none, they are wrapped. */
  readonly takesCustom?: true;
}
