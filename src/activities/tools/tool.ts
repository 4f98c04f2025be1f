/** A tool as a worker runs it. */
import type { Duration, Logger } from "@temporalio/common";
import type { JsonObject } from "../../core/json.js";

/** What a tool is told beside its arguments. */
export interface ToolContext {
  /** Aborted when the turn is stopped, the tool's time is up, or its worker ends. */
  readonly signal: AbortSignal;
  /** Says that the tool is alive; what it says last is handed to the next attempt of an idempotent tool as `lastHeartbeat`. */
  heartbeat(details?: unknown): void;
  readonly lastHeartbeat: unknown;
  /** The same for every attempt at this call, and for no other call: hex SHA-256 of conversation, turn, round and position. */
  readonly idempotencyKey: string;
  readonly conversationId: string;
  readonly turnId: string;
  /** The model call of the turn that asked for it, from 0. */
  readonly round: number;
  /** Among the calls of that round, from 0. */
  readonly position: number;
  /** From 1. */
  readonly attempt: number;
  readonly logger: Logger;
}

/** How often a tool that throws is tried. */
export interface ToolRetry {
  /** Attempts in all. By default 3 of an idempotent tool, 1 of any other. */
  readonly maximumAttempts?: number;
  /** Before the second attempt. By default 1 second. */
  readonly initialInterval?: Duration;
  /** By default 2. */
  readonly backoffCoefficient?: number;
  /** By default 1 minute. */
  readonly maximumInterval?: Duration;
}

/** A definition with its code and its bounds, times in milliseconds. What `defineTool` returns. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly input_schema: JsonObject;
  readonly execute: (args: never, context: ToolContext) => unknown;
  /** Checks arguments and gives what `execute` takes, or what is wrong with them, one line each. */
  readonly check: (args: JsonObject) => Promise<CheckedArguments>;
  readonly timeoutMs: number;
  readonly heartbeatTimeoutMs: number | undefined;
  readonly retry: ResolvedToolRetry;
  readonly idempotent: boolean;
  readonly local: boolean;
  readonly onError: "tell" | "fail";
  /** Whether a call with these arguments, as checked, waits until somebody approves it. */
  readonly needsApproval: boolean | ((args: never) => boolean | Promise<boolean>);
}

export interface ResolvedToolRetry {
  readonly maximumAttempts: number;
  readonly initialMs: number;
  readonly coefficient: number;
  readonly maximumMs: number;
}

export type CheckedArguments = { readonly value: unknown } | { readonly issues: readonly string[] };

/** By its shape: a module may have been made with another copy of the package. */
export function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false;
  const { name, execute, check, retry } = value as Partial<Record<keyof Tool, unknown>>;
  return (
    typeof name === "string" &&
    typeof execute === "function" &&
    typeof check === "function" &&
    typeof retry === "object"
  );
}
