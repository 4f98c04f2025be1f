/** A tool from its definition: arguments by any Standard Schema, bounds with their defaults. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Duration } from "@temporalio/common";
import { msToNumber } from "@temporalio/common/lib/time.js";
import { TOOL_NAME } from "../../core/agent.js";
import { UsageError } from "../../core/errors/errors.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { assertOptions, type OptionNames } from "../../core/known-options.js";
import { isStandardSchema, issueLine } from "../../core/standard-schema.js";
import { jsonSchemaOf } from "./json-schema-of.js";
import type { CheckedArguments, ResolvedToolRetry, Tool, ToolContext, ToolRetry } from "./tool.js";

export interface ToolDefinition<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /** 1 to 64 of A-Z a-z 0-9 _ -, as every provider takes it. */
  readonly name: string;
  /** When to call it and what it gives, for the model. */
  readonly description?: string;
  /** Schema of the arguments, of any library with the Standard Schema interface. Without it every object is taken. */
  readonly input?: Schema;
  /** JSON Schema of the arguments, where the library of `input` does not give it or the model should see another. */
  readonly inputSchema?: JsonObject;
  /**
   * A text, anything that JSON holds, a file (bytes, a Blob or {name, data, mime_type?}), {files, text?}, or a list of
   * {type: "text", text} and {type: "file", data, …}. What it throws is told to the model.
   */
  execute(args: StandardSchemaV1.InferOutput<Schema>, context: ToolContext): unknown;
  readonly retry?: ToolRetry;
  /** One attempt, at most one hour. By default 5 minutes; 2 seconds of a local tool. */
  readonly timeout?: Duration;
  /** Longest time between two calls of `context.heartbeat`. By default it need not be called. */
  readonly heartbeatTimeout?: Duration;
  /** True: an attempt that was lost or failed may be made again. Otherwise nothing that may have begun is repeated. */
  readonly idempotent?: boolean;
  /** A look-up of at most 2 seconds, run within the workflow's task; only with `idempotent: true`. */
  readonly local?: boolean;
  /** Each call, or each for whose arguments the function says so, waits until somebody approves or denies it. */
  readonly needsApproval?:
    | boolean
    | ((args: StandardSchemaV1.InferOutput<Schema>) => boolean | Promise<boolean>);
  /** What comes of what it throws: `tell` (default) the model, or `fail` the turn. */
  readonly onError?: "tell" | "fail";
}

const TOOL_OPTIONS: OptionNames<ToolDefinition> = {
  name: true,
  description: true,
  input: true,
  inputSchema: true,
  execute: true,
  retry: true,
  timeout: true,
  heartbeatTimeout: true,
  idempotent: true,
  local: true,
  needsApproval: true,
  onError: true,
};

const TIMEOUT_MS = 5 * 60_000;
const LOCAL_TIMEOUT_MS = 2_000;
/** Of a whole turn, and so the most that any part of it can take. */
const TURN_MS = 60 * 60_000;

/** @throws UsageError for a name that not every provider takes, an option of a wrong kind, or a schema that gives no JSON Schema. */
export function defineTool<Schema extends StandardSchemaV1 = StandardSchemaV1<JsonObject>>(
  definition: ToolDefinition<Schema>,
): Tool {
  assertOptions("defineTool", definition, TOOL_OPTIONS);
  const { name, description, input, execute, idempotent = false, local = false } = definition;
  if (typeof name !== "string" || !TOOL_NAME.test(name))
    throw new UsageError(
      `Tool name ${JSON.stringify(name)} does not fit every provider: use 1 to 64 of A-Z a-z 0-9 _ -.`,
    );
  assertKinds(definition);
  return Object.freeze({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: definition.inputSchema ?? jsonSchemaOf(name, input),
    execute: execute as Tool["execute"],
    check: (args: JsonObject) => checkArguments(input, args),
    timeoutMs: timeOf(definition, "timeout") ?? (local ? LOCAL_TIMEOUT_MS : TIMEOUT_MS),
    heartbeatTimeoutMs: timeOf(definition, "heartbeatTimeout"),
    retry: resolvedRetry(definition),
    idempotent,
    local,
    onError: definition.onError ?? "tell",
    needsApproval: (definition.needsApproval ?? false) as Tool["needsApproval"],
  });
}

function assertKinds(definition: ToolDefinition<never> | ToolDefinition): void {
  const { name, description, input, inputSchema, execute, idempotent, local, onError } = definition;
  const approval = typeof definition.needsApproval;
  const isFlag = (value: unknown): boolean => value === undefined || typeof value === "boolean";
  const wrong = [
    typeof execute === "function" ? [] : "execute: a function",
    description === undefined || typeof description === "string" ? [] : "description: a text",
    input === undefined || isStandardSchema(input)
      ? []
      : "input: a schema with the Standard Schema interface",
    inputSchema === undefined || isJsonObject(inputSchema) ? [] : "inputSchema: a JSON Schema",
    isFlag(idempotent) ? [] : "idempotent: true or false",
    isFlag(local) ? [] : "local: true or false",
    onError === undefined || onError === "tell" || onError === "fail" ? [] : 'onError: "tell" or "fail"',
    ["undefined", "boolean", "function"].includes(approval)
      ? []
      : "needsApproval: true, false or a function of the arguments",
    local === true && idempotent !== true ? "local: true only with idempotent: true" : [],
  ].flat();
  if (wrong.length > 0) throw new UsageError(`Tool ${name} takes ${wrong.join(", ")}.`);
}

function timeOf(
  definition: ToolDefinition<never> | ToolDefinition,
  option: "timeout" | "heartbeatTimeout",
): number | undefined {
  const given = definition[option];
  if (given === undefined) return undefined;
  const milliseconds = durationMs(given);
  const most = definition.local === true ? LOCAL_TIMEOUT_MS : TURN_MS;
  if (milliseconds > 0 && milliseconds <= most) return milliseconds;
  const bound = definition.local === true ? "2 seconds for a local tool" : "one hour, as a turn may take";
  throw new UsageError(
    `Tool ${definition.name}: ${option} is a time such as "30 seconds" or a number of milliseconds, at most ${bound}.`,
  );
}

function durationMs(value: Duration): number {
  try {
    return msToNumber(value);
  } catch {
    return Number.NaN;
  }
}

function resolvedRetry({
  name,
  retry = {},
  idempotent,
}: ToolDefinition<never> | ToolDefinition): ResolvedToolRetry {
  const resolved = {
    maximumAttempts: retry.maximumAttempts ?? (idempotent === true ? 3 : 1),
    initialMs: durationMs(retry.initialInterval ?? 1_000),
    coefficient: retry.backoffCoefficient ?? 2,
    maximumMs: durationMs(retry.maximumInterval ?? 60_000),
  };
  if (
    resolved.maximumAttempts >= 1 &&
    isTime(resolved.initialMs) &&
    resolved.coefficient >= 1 &&
    isTime(resolved.maximumMs)
  )
    return resolved;
  throw new UsageError(
    `Tool ${name}: retry is {maximumAttempts: from 1, initialInterval: a time up to one hour, backoffCoefficient: from 1, maximumInterval: likewise}.`,
  );
}

const isTime = (ms: number): boolean => ms >= 0 && ms <= TURN_MS;

async function checkArguments(
  schema: StandardSchemaV1 | undefined,
  args: JsonObject,
): Promise<CheckedArguments> {
  if (schema === undefined) return { value: args };
  const checked = await schema["~standard"].validate(args);
  if (checked.issues === undefined) return { value: checked.value };
  return { issues: checked.issues.map(issueLine) };
}
