/** The activity of one tool call. A tool that fails gives a result for the model; few things fail the call itself. */
import { Context } from "@temporalio/activity";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type {
  CallToolFailureDetails,
  CallToolInput,
  ToolOutcome,
} from "../../core/conversation/activity-contract.js";
import { isNestedTooDeep } from "../../core/dialects/parsed-arguments.js";
import type { ToolCallState } from "../../core/envelope/envelope.js";
import { cleanText } from "../../core/errors/clean-text.js";
import { sha256Hex } from "../../core/hash.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { activityFailure, errorMessage } from "../activity-failure.js";
import { assertNotStopping, mayHaveWaited } from "../assert-not-stopping.js";
import type { ActivityDependencies } from "../dependencies.js";
import { continueHeartbeat } from "../heartbeat.js";
import { isTurnFailedByTool } from "./fail-turn.js";
import { PatientKeeper } from "./patient-keeper.js";
import { runTool, type ToolEnd } from "./run-tool.js";
import type { Tool } from "./tool.js";
import { pushApproval, pushToolResult, pushTurnEnd } from "./tool-frames.js";
import { errorOutcome, toolOutcome } from "./tool-outcome.js";

/** How often and how seldom another worker is asked for a tool that this one does not have. */
const OTHER_WORKERS = { attempts: 30, delayMs: 1_000 };

/** A local tool that has blocked its worker for so long was given up by then: this counts as an attempt that was lost. */
const LOCAL_LOST_MS = 3_000;

/** What keeping a result may take, within what the server gives a call beside its tool's time (activity-options.ts). */
const KEEP_MS = { usual: 45_000, local: 800 };

/** What every heartbeat says, so that the next attempt knows how far a lost one had come. */
interface Progress {
  phase: "waiting" | "running" | "failed";
  /** Times that the tool has thrown. */
  failures: number;
  /** Times that its worker was lost while it ran; absent where none was. */
  lost?: number;
  said?: unknown;
}

/**
 * @throws a failure of type `tool.failed` where the tool fails the turn; CancelledFailure for a stop; what may be tried again.
 */
export async function callTool(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<ToolOutcome> {
  const context = Context.current();
  const progress = progressBefore(context);
  if (context.info.attempt === 1) pushApproval(dependencies.frames, input);
  const tool = input.known ? dependencies.tools.get(input.call.name) : undefined;
  try {
    const outcome =
      tool === undefined
        ? missing(context, input)
        : await new ToolAttempt(dependencies, { context, input, progress, tool }).outcome();
    pushToolResult(dependencies.frames, input, outcome);
    return outcome;
  } catch (error) {
    if (endsTurn(error)) pushTurnEnd(dependencies.frames, input);
    throw error;
  }
}

function endsTurn(error: unknown): boolean {
  if (error instanceof ApplicationFailure) return error.nonRetryable === true;
  return error instanceof CancelledFailure && isJsonObject(error.details?.[0]);
}

function progressBefore({ info }: Context): Progress {
  const before = info.heartbeatDetails as Partial<Progress> | undefined;
  if (info.isLocal) return { phase: "waiting", failures: info.attempt - 1 };
  const phase = before?.phase ?? "waiting";
  const lost = (before?.lost ?? 0) + (phase === "running" ? 1 : 0);
  return { phase, failures: before?.failures ?? 0, ...(lost === 0 ? {} : { lost }), said: before?.said };
}

/** A worker may lack a tool that another one, which made the model call, has. */
function missing({ info }: Context, { call: { name }, known }: CallToolInput): ToolOutcome {
  if (known && info.attempt < OTHER_WORKERS.attempts) {
    throw activityFailure("worker.unknown_tool", `This worker has no tool named ${name}.`, {
      retryable: true,
      nextRetryMs: OTHER_WORKERS.delayMs,
    });
  }
  return errorOutcome(`There is no tool named ${name}.`);
}

interface AttemptParts {
  readonly context: Context;
  readonly input: CallToolInput;
  readonly progress: Progress;
  readonly tool: Tool;
}

class ToolAttempt {
  readonly #dependencies: ActivityDependencies;
  readonly #parts: AttemptParts;

  constructor(dependencies: ActivityDependencies, parts: AttemptParts) {
    this.#dependencies = dependencies;
    this.#parts = parts;
  }

  async outcome(): Promise<ToolOutcome> {
    const { context, progress, tool, input } = this.#parts;
    if (progress.phase === "running" && !tool.idempotent) return this.#lost();
    const ended = context.info.isLocal ? this.#beginLocal() : undefined;
    if (this.#attempts() >= tool.retry.maximumAttempts) return this.#exhausted();
    const { arguments: given } = input.call;
    if (!isJsonObject(given)) {
      const fault = isNestedTooDeep(given) ? "nested too deep" : "no JSON object";
      return errorOutcome(`The arguments of ${tool.name} are ${fault}.`);
    }
    const { onCallPoint } = this.#dependencies;
    await onCallPoint?.("tool_started");
    await this.#assertNotStopping();
    await this.#begin();
    // Not before: the first beat would race with the report, and might be the one that the server keeps.
    const stopHeartbeat = context.info.isLocal
      ? undefined
      : continueHeartbeat(context, () => ({ ...progress }));
    try {
      await onCallPoint?.("tool_running");
      return await this.#run(given);
    } catch (error) {
      if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
      if (context.cancellationSignal.aborted) throw error;
      return await this.#failed(error);
    } finally {
      stopHeartbeat?.();
      ended?.();
    }
  }

  /**
   * No tool begins whose turn was stopped meanwhile: while nobody worked, between two attempts, or behind an approval.
   *
   * @throws CancelledFailure, with what is known of the call.
   */
  async #assertNotStopping(): Promise<void> {
    const { context, input, progress, tool } = this.#parts;
    if (context.info.isLocal) return;
    if (input.approval === undefined && !mayHaveWaited(context, this.#dependencies, input)) return;
    const stopHeartbeat = continueHeartbeat(context, () => ({ ...progress }));
    try {
      await assertNotStopping(context, input.turn_id);
    } catch (error) {
      if (context.cancellationDetails?.cancelRequested !== true) throw error;
      const mayHaveBegun = tool.idempotent ? context.info.attempt > 1 : progress.phase !== "waiting";
      const state = mayHaveBegun ? "unknown" : "not_started";
      throw new CancelledFailure("The turn was stopped.", [stateDetails(state)]);
    } finally {
      stopHeartbeat();
    }
  }

  /**
   * Within the workflow's task nobody counts the attempts at a call that takes its worker along, or keeps it from answering;
   * so they are counted on this machine. Returns what is to be called when the call has ended.
   */
  #beginLocal(): () => void {
    const { progress } = this.#parts;
    const { journal } = this.#dependencies;
    if (journal === undefined) return () => undefined;
    const key = sha256Hex(JSON.stringify([journal.place, this.#key()]));
    const since = performance.now();
    const lost = journal.begun.begin(key);
    if (lost > 0) progress.lost = lost;
    return () => {
      if (performance.now() - since < LOCAL_LOST_MS) journal.begun.end(key);
    };
  }

  #key(): string {
    const { conversation_id, turn_id, round, position } = this.#parts.input;
    return sha256Hex(JSON.stringify([conversation_id, turn_id, round, position]));
  }

  async #run(given: JsonObject): Promise<ToolOutcome> {
    const { context, input, progress, tool } = this.#parts;
    const lastHeartbeat = progress.said;
    const { conversation_id, turn_id, round, position } = input;
    const end = await runTool({
      tool,
      given,
      context,
      about: {
        lastHeartbeat,
        idempotencyKey: this.#key(),
        conversationId: conversation_id,
        turnId: turn_id,
        round,
        position,
        attempt: context.info.attempt,
      },
      onHeartbeat: (details) => {
        progress.said = details;
      },
    });
    await this.#dependencies.onCallPoint?.("tool_returned");
    return this.#ended(end);
  }

  /**
   * Acknowledged by the server before the tool begins: what may have begun is not to be repeated. Of one that may be, the
   * beats say the same; from its second attempt on it is counted beforehand, lest it end every worker before the first beat.
   */
  async #begin(): Promise<void> {
    const { context, progress, tool } = this.#parts;
    progress.phase = "running";
    if (context.info.isLocal || (tool.idempotent && context.info.attempt === 1)) return;
    await context.client.activity.heartbeat(context.info.taskToken, { ...progress });
  }

  /** Those that have come to an end without a result, in one way or the other. */
  #attempts(): number {
    const { failures, lost = 0 } = this.#parts.progress;
    return failures + lost;
  }

  async #ended(end: ToolEnd): Promise<ToolOutcome> {
    const { tool, context } = this.#parts;
    switch (end.type) {
      case "value":
        return this.#kept(end.value);
      case "unfit":
        return errorOutcome(
          `The arguments of ${tool.name} do not fit: ${end.issues.slice(0, 20).join("; ")}.`,
        );
      case "error":
        return this.#failed(end.error);
      case "late":
        return this.#failed(new Error(`It did not finish within ${tool.timeoutMs / 1_000} seconds.`));
      case "silent":
        return this.#failed(new Error("It has not shown in time that it is alive."));
      case "stopped":
        throw new CancelledFailure("The turn was stopped.", [
          stateDetails(end.returned ? "settled" : "unknown"),
        ]);
      case "drained":
        if (!tool.idempotent) return this.#lost();
        // A worker that ends in good order has lost nothing.
        this.#parts.progress.phase = "waiting";
        context.heartbeat({ ...this.#parts.progress });
        throw await context.cancelled.catch((reason: unknown) => reason);
      case "gone":
        throw await context.cancelled.catch((reason: unknown) => reason);
    }
  }

  /** From here on the tool is not run again: what cannot be kept of its result is told to the model and to the log. */
  async #kept(value: unknown): Promise<ToolOutcome> {
    const { context, tool } = this.#parts;
    const keeper = new PatientKeeper({
      store: this.#dependencies.mediaStore,
      withinMs: context.info.isLocal ? KEEP_MS.local : KEEP_MS.usual,
      stop: context.cancellationSignal,
    });
    const outcome = await toolOutcome(tool.name, value, keeper);
    if (keeper.failure !== undefined) {
      const reason = cleanText(errorMessage(keeper.failure), 500);
      context.log.warn(`The media store did not take what tool ${tool.name} returned: ${reason}`);
    }
    return outcome;
  }

  /** Its worker ended, or ends, while it ran. */
  #lost(): ToolOutcome {
    const { tool } = this.#parts;
    const text = `It is not known whether ${tool.name} ran: its worker was lost while it did. Find out before you call it again.`;
    if (tool.onError === "fail") throw this.#turnFailure(text, "unknown");
    return errorOutcome(text);
  }

  /** Each of its attempts has taken its worker along, or may have. */
  #exhausted(): ToolOutcome {
    const { tool } = this.#parts;
    const text = `${tool.name} was given up after ${this.#attempts()} attempts: its worker was lost, or did not answer, while it ran.`;
    if (tool.onError === "fail") throw this.#turnFailure(text, "unknown");
    return errorOutcome(text);
  }

  async #failed(error: unknown): Promise<ToolOutcome> {
    const { context, progress, tool } = this.#parts;
    const text = errorMessage(error);
    if (isTurnFailedByTool(error)) throw this.#turnFailure(text, "settled");
    progress.failures += 1;
    const { maximumAttempts, initialMs, coefficient, maximumMs } = tool.retry;
    const isFinal = error instanceof ApplicationFailure && error.nonRetryable === true;
    if (!isFinal && this.#attempts() < maximumAttempts) {
      progress.phase = "failed";
      // The SDK sends it before the failure; one sent by token would be overwritten by a beat that still waits here.
      if (!context.info.isLocal) context.heartbeat({ ...progress });
      const delayMs = Math.min(initialMs * coefficient ** (progress.failures - 1), maximumMs);
      throw activityFailure("tool.error", text, { retryable: true, nextRetryMs: Math.max(1, delayMs) });
    }
    context.log.warn(`Tool ${tool.name} failed.`, { error: text.slice(0, 500) });
    if (tool.onError === "fail") throw this.#turnFailure(text, "settled");
    return errorOutcome(text);
  }

  #turnFailure(text: string, state: ToolCallState): ApplicationFailure {
    const { name } = this.#parts.tool;
    return activityFailure("tool.failed", `Tool ${name} failed the turn: ${text}`, {
      retryable: false,
      details: [stateDetails(state)],
    });
  }
}

function stateDetails(tool_state: ToolCallState): CallToolFailureDetails {
  return { tool_state };
}
