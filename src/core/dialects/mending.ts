/** What a dialect must know to make a request of its own history that the service takes, where the history itself has faults. */
import type { ConversionReportEntry, NativeMessage } from "../envelope/envelope.js";

/** A call of a client-run tool, or the result of one. */
export interface Exchange {
  readonly kind: "call" | "result";
  /** Null where the wire pairs by name and order. */
  readonly id: string | null;
  readonly name: string | undefined;
  /** Where in the message, as a dotted path. */
  readonly path: string;
  /** The kind of call, where the wire has several. */
  readonly form?: string;
}

export interface UnansweredCall extends Exchange {
  /** The id under which it stands in the request. */
  readonly sentId: string | null;
}

/** A message of the request; `from` is its index in the history, undefined for one that was added. */
export interface PlacedMessage {
  readonly message: NativeMessage;
  readonly from: number | undefined;
}

/** What a message became, and an entry for each change that its reader should hear of. */
export interface TidiedMessage {
  readonly messages: readonly NativeMessage[];
  readonly report: readonly ConversionReportEntry[];
}

export interface DialectMending {
  /** Without what the service refuses as empty, results in front. Undefined for a message that is well as it is. */
  tidy(message: NativeMessage, index: number): TidiedMessage | undefined;
  /** The calls and results of a message, in their order. */
  exchanges(message: NativeMessage): readonly Exchange[];
  /** The message with other ids for its exchanges, in that order. */
  withIds(message: NativeMessage, ids: readonly (string | null)[]): NativeMessage;
  /** Where an id may stand once only; undefined where ids are free. */
  readonly uniqueIn: "request" | "round" | undefined;
  /** Most characters of an id, where the service counts them. */
  readonly longestId?: number;
  /** Whether the message belongs to the calls before it. */
  continuesCalls(message: NativeMessage): boolean;
  /** Whether calls that are still open at this message can be answered no more. `follows`: it comes right behind them. */
  endsRound(message: NativeMessage, follows: boolean): boolean;
  /** The results that stand for those which were never given. */
  answers(calls: readonly UnansweredCall[]): readonly NativeMessage[];
  /** What follows calls, with answers in their place. */
  withAnswers(
    following: readonly PlacedMessage[],
    answers: readonly NativeMessage[],
  ): readonly PlacedMessage[];
  /** Stands before a history that begins with the model. */
  readonly opening?: NativeMessage;
  /** Whether the history begins with the model. */
  beginsWithModel?(first: NativeMessage): boolean;
  /** The history names items that only the service has: a result's call may be among them. */
  hasReferences?(message: NativeMessage): boolean;
}

/** Answers of their own before whatever else follows the calls. */
export function answersFirst(
  following: readonly PlacedMessage[],
  answers: readonly NativeMessage[],
): readonly PlacedMessage[] {
  return [...answers.map((message) => ({ message, from: undefined })), ...following];
}
