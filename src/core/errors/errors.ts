/** Every error a user of Holdfast can meet: one base with a stable code, one class a meaning, one exit code each. */
import type { InterruptedTurn } from "../envelope/envelope.js";

/** Exit codes of the command: 0 done, 1 failed, 2 usage, 3 refused. */
export type ExitCode = 1 | 2 | 3;

/** Base of all errors. `code` is stable and equals the class name; the message says what, where and what to do. */
export abstract class HoldfastError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: ExitCode;
  /** Marks the error across realms and copies of the package. */
  readonly holdfast: true = true;

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
  }
}

/** True for a Holdfast error, also one from another realm or another copy of the package. */
export function isHoldfastError(value: unknown): value is HoldfastError {
  return typeof value === "object" && value !== null && (value as { holdfast?: unknown }).holdfast === true;
}

/** Wrong call or option, unknown model, empty message. */
export class UsageError extends HoldfastError {
  readonly code = "UsageError";
  readonly exitCode = 2;
}

/** The turn ended interrupted; `record` is the envelope's `interrupted_turn`. */
export class TurnInterruptedError extends HoldfastError {
  readonly code = "TurnInterruptedError";
  readonly exitCode = 1;
  readonly record: InterruptedTurn;

  constructor(message: string, record: InterruptedTurn, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.record = record;
  }
}

export class ConversationNotFoundError extends HoldfastError {
  readonly code = "ConversationNotFoundError";
  readonly exitCode = 1;
}

/** Nothing polls the task queue: no worker is running for these conversations. */
export class NoWorkerError extends HoldfastError {
  readonly code = "NoWorkerError";
  readonly exitCode = 1;
  /** Of the turn that waits at the server, or goes on, until a worker has it; undefined where no turn was sent. */
  readonly turnId: string | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly turnId?: string } = {}) {
    super(message, options);
    this.turnId = options.turnId;
  }
}

export class ServerUnreachableError extends HoldfastError {
  readonly code = "ServerUnreachableError";
  readonly exitCode = 1;
}

export class MissingKeyError extends HoldfastError {
  readonly code = "MissingKeyError";
  readonly exitCode = 1;
}

/** A history that cannot be continued under the wanted provider. */
export class SessionCompatibilityError extends HoldfastError {
  readonly code = "SessionCompatibilityError";
  readonly exitCode = 3;
}

export interface HistoryIssue {
  readonly index: number;
  readonly path: string;
  readonly expected: string;
}

/** A history that is invalid in its own dialect. */
export class InvalidHistoryError extends HoldfastError {
  readonly code = "InvalidHistoryError";
  readonly exitCode = 3;
  readonly issues: readonly HistoryIssue[];

  constructor(message: string, issues: readonly HistoryIssue[]) {
    super(message);
    this.issues = issues;
  }
}

/** One place in an envelope that is not what it must be. `path` is dotted: `metadata.run_count`, `messages[3].role`. */
export interface EnvelopeIssue {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** `issues` lists every problem where the envelope could be read at all; the message names the first ones. */
export class EnvelopeDamagedError extends HoldfastError {
  readonly code = "EnvelopeDamagedError";
  readonly exitCode = 3;
  readonly issues: readonly EnvelopeIssue[];

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly issues?: readonly EnvelopeIssue[] } = {},
  ) {
    super(message, options);
    this.issues = options.issues ?? [];
  }
}

export class EnvelopeFromFutureError extends HoldfastError {
  readonly code = "EnvelopeFromFutureError";
  readonly exitCode = 3;
}

export class RebindRefusedError extends HoldfastError {
  readonly code = "RebindRefusedError";
  readonly exitCode = 3;
}

export class ConversationExistsError extends HoldfastError {
  readonly code = "ConversationExistsError";
  readonly exitCode = 3;
}

export const REFUSAL_REASONS = [
  "busy",
  "closed",
  "unknown_tool",
  "attachment",
  "output_schema",
  "too_large",
  "no_price",
  "moving",
  "invalid",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The turn was not accepted; nothing was queued. */
export class TurnRefusedError extends HoldfastError {
  readonly code = "TurnRefusedError";
  readonly exitCode = 3;
  readonly reason: RefusalReason;

  constructor(message: string, reason: RefusalReason, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
