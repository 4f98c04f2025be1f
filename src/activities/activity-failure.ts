/** The one function that rebuilds an error before it leaves an activity: bounded, scrubbed, typed (ACT-1). */
import { ApplicationFailure } from "@temporalio/common";
import { cleanText } from "../core/errors/clean-text.js";
import { isHoldfastError } from "../core/errors/errors.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { OverBudgetError } from "./over-budget-error.js";

const MESSAGE_BYTES = 2 * 1024;
/** With the line of the type before it the stack stays within 4 KiB. */
const STACK_BYTES = 4 * 1024 - 200;
const FRAMES = 30;
const FRAME_BYTES = 300;

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
  failure.stack = `${type}${cleanStack(options.stack)}`;
  return failure;
}

/** `error_type` of whatever was thrown: `provider.<kind>`, `budget.<limit>`, the code of a Holdfast error, else `worker.error`. */
export function errorType(error: unknown): string {
  if (error instanceof ProviderFailure) return `provider.${error.kind}`;
  if (error instanceof OverBudgetError) return error.type;
  if (error instanceof ApplicationFailure) return error.type ?? "worker.error";
  return isHoldfastError(error) ? error.code : "worker.error";
}

/** What was thrown, in words: anything may be thrown, and an error may have been given anything for a message. */
export function errorMessage(error: unknown): string {
  try {
    const said: unknown =
      typeof error === "object" && error !== null && "message" in error ? error.message : error;
    if (typeof said === "string" && said !== "") return said;
    if (error instanceof Error) return said === "" ? error.name : `${error.name}: ${String(said)}`;
    return said === undefined || said === null || said === "" || typeof said === "object"
      ? "It failed without saying why."
      : String(said);
  } catch {
    return "It failed without saying why.";
  }
}

/** The frames of a stack without the message before them, each scrubbed, as many as fit. */
function cleanStack(stack: string | undefined): string {
  const frames = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  let text = "";
  for (const frame of frames.slice(0, FRAMES)) {
    const longer = `${text}\n    ${cleanText(frame, FRAME_BYTES)}`;
    if (Buffer.byteLength(longer) > STACK_BYTES) break;
    text = longer;
  }
  return text;
}
