/** The one function that builds what leaves a handler or a validator: typed, on one line, bounded (WFL-76). */
import { ApplicationFailure, isCancellation } from "@temporalio/workflow";
import { cleanText } from "../core/errors/clean-text.js";

const MESSAGE_BYTES = 2 * 1024;

/** `details` are the caller's to bound: at most 4 KiB as JSON. */
export function handlerFailure(type: string, message: string, ...details: unknown[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(cleanText(message, MESSAGE_BYTES), type, ...details);
}

/** Whatever an update's handler throws reaches its caller as a failure. Anything else would fail the workflow task for ever. */
export function updateFailure(error: unknown, type: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const cause = causeOf(error);
  const known = cause instanceof ApplicationFailure ? (cause.type ?? type) : type;
  return handlerFailure(known, causeText(error));
}

/** What a failure came from, in words: an activity's failure says nothing itself, a cancellation nothing at all. */
export function causeText(error: unknown): string {
  if (isCancellation(error)) return "The conversation was cancelled.";
  const cause = causeOf(error);
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 500);
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown } | null | undefined)?.cause ?? error;
}
