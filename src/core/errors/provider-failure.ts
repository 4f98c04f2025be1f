/** What a call to a provider can fail with, classified once by the adapter (design: one owner of retries). */
import { type ExitCode, HoldfastError } from "./errors.js";

/** Kinds that may succeed when called again. */
export const RETRYABLE_KINDS = [
  "network",
  "timeout",
  "conflict",
  "rate_limited",
  "overloaded",
  "server_error",
  "stream_cut",
  "malformed_reply",
] as const;
/** Kinds that will not. */
export const PERMANENT_KINDS = [
  "bad_request",
  "authentication",
  "permission",
  "not_found",
  "context_too_long",
  "content_refused",
  "attachment_refused",
  "no_event_stream",
  "unkeepable_reply",
] as const;
export type ProviderFailureKind = (typeof RETRYABLE_KINDS)[number] | (typeof PERMANENT_KINDS)[number];

export interface ProviderFailureDetails {
  /** HTTP status, when the provider answered at all. */
  readonly status?: number;
  /** How long the provider asked to wait, in milliseconds (retry-after-ms, retry-after in seconds or as a date). */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A failed provider call. `error_type` in records is `provider.<kind>`. */
export class ProviderFailure extends HoldfastError {
  readonly code = "ProviderFailure";
  readonly exitCode: ExitCode = 1;
  readonly kind: ProviderFailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ProviderFailureKind, message: string, details: ProviderFailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  get retryable(): boolean {
    return (RETRYABLE_KINDS as readonly string[]).includes(this.kind);
  }
}
