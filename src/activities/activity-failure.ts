/** The one function that rebuilds an error before it leaves an activity: bounded, scrubbed, typed (design rule 9). */
import { ApplicationFailure } from "@temporalio/common";
import { cleanText } from "../core/errors/clean-text.js";
import { isHoldfastError } from "../core/errors/errors.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";

const MESSAGE_BYTES = 2 * 1024;
const STACK_BYTES = 4 * 1024;

export interface FailureOptions {
  readonly retryable: boolean;
  readonly nextRetryMs?: number;
  /** At most 4 KiB as JSON; the caller bounds its texts. */
  readonly details?: readonly unknown[];
  /** Of the original error, for the log; cut and scrubbed. */
  readonly stack?: string | undefined;
}

export function activityFailure(type: string, message: string, options: FailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message: cleanText(message, MESSAGE_BYTES),
    nonRetryable: !options.retryable,
    details: [...(options.details ?? [])],
    ...(options.nextRetryMs === undefined ? {} : { nextRetryDelay: options.nextRetryMs }),
  });
  failure.stack = `${type}: ${cleanStack(options.stack)}`;
  return failure;
}

/** `error_type` of whatever was thrown: `provider.<kind>`, the code of a Holdfast error, else `worker.error`. */
export function errorType(error: unknown): string {
  if (error instanceof ProviderFailure) return `provider.${error.kind}`;
  if (error instanceof ApplicationFailure) return error.type ?? "worker.error";
  return isHoldfastError(error) ? error.code : "worker.error";
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The frames of a stack, each scrubbed, as many as fit. */
function cleanStack(stack: string | undefined): string {
  const lines: string[] = [];
  let room = STACK_BYTES;
  for (const line of (stack ?? "").split("\n").slice(1, 30)) {
    const clean = cleanText(line, 300);
    room -= clean.length + 5;
    if (room < 0) break;
    lines.push(`    ${clean}`);
  }
  return lines.join("\n");
}
