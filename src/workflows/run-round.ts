/** One round of tools: every call an activity of its own, all side by side. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  patched,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
} from "@temporalio/workflow";
import type {
  CallToolInput,
  ConversationActivities,
  PlannedCall,
  RoundResult,
  ToldCall,
  ToolOutcome,
} from "../core/conversation/activity-contract.js";
import { approvalOf, askApproval, decisionOn } from "../core/conversation/approvals.js";
import type { ApprovalDecision } from "../core/conversation/state.js";
import {
  answerCall,
  firstOfRound,
  markToolCall,
  parkedFor,
  settleToolCall,
} from "../core/conversation/tool-rounds.js";
import type { ToolCallState } from "../core/envelope/envelope.js";
import { boundText } from "../core/errors/clean-text.js";
import { isJsonObject, type JsonObject } from "../core/json.js";
import { HEARTBEAT_TIMEOUT_MS, localToolOptions, TELL_OPTIONS, toolOptions } from "./activity-options.js";
import type { TurnHost } from "./answer-turn.js";
import { assertNotStopped } from "./stopped-before-call.js";
import { timestamp } from "./timestamp.js";

/** Most that is repeated of arguments which an approver has changed. */
const EDIT_BYTES = 64 * 1024;
/** Histories that were recorded when no reader was told of a denial replay as they were. */
const DENIAL_PATCH = "told-denial";

/**
 * The results of the turn's last round in call order, once every call has ended; what each has come to is in the state by then.
 * What has been answered already is not run again.
 *
 * @throws the failure of the first call that fails the turn, once the others have been stopped; or the turn's own stop.
 */
export async function runRound(host: TurnHost): Promise<readonly RoundResult[]> {
  const { running } = host.state;
  if (running?.round === undefined) return [];
  const { calls, results: known } = running.round;
  const first = firstOfRound(running);
  const of = { round: running.calls.length - 1, attempt: running.calls.at(-1)?.attempt ?? 1 };
  const scope = new CancellationScope();
  let failure: { readonly error: unknown } | undefined;
  const results = await scope.run(() =>
    Promise.all(
      calls.map(async (call, position): Promise<RoundResult | undefined> => {
        const before = known[position] ?? null;
        if (before !== null) return before;
        try {
          const result = await runCall(host, { ...of, call, position, index: first + position });
          host.state = answerCall(host.state, position, result);
          return result;
        } catch (error) {
          failure ??= { error };
          scope.cancel();
          return undefined;
        }
      }),
    ),
  );
  if (failure !== undefined) throw failure.error;
  return results.filter((result) => result !== undefined);
}

interface Placed {
  readonly call: PlannedCall;
  readonly round: number;
  readonly position: number;
  /** Of the turn, for the frames. */
  readonly attempt: number;
  /** Over all rounds of the turn. */
  readonly index: number;
}

async function runCall(host: TurnHost, placed: Placed): Promise<RoundResult> {
  const { call, index } = placed;
  const { id, name, answer } = call;
  const of = { call: { id, name, ...(answer === undefined ? {} : { answer }) } };
  const decision = call.approval === true ? await approval(host, index, call) : undefined;
  if (decision?.approved === false) {
    const result = denied(decision);
    await tellDenied(host, placed, { decision, output: result.output });
    return { ...of, ...result };
  }
  const edited = decision?.arguments;
  assertNotStopped(host.state, call);
  const startedMs = Date.now();
  // Until it is known better: the turn may be given up before anybody says what has become of the call.
  host.state = markToolCall(host.state, index, "unknown");
  try {
    const outcome = await callTool(host, placed, decision);
    assertOutcome(outcome, name);
    host.state = settleToolCall(host.state, index, outcome);
    const { stored: _, ...result } = outcome;
    return { ...of, ...(edited === undefined ? result : { ...result, output: withEdit(result, edited) }) };
  } catch (error) {
    host.state = markToolCall(host.state, index, stateAfter(error, Date.now() - startedMs));
    throw error;
  }
}

/** Nothing runs while the conversation waits for it: no activity, no timer. */
async function approval(host: TurnHost, index: number, call: PlannedCall): Promise<ApprovalDecision> {
  host.state = askApproval(host.state, index, call, timestamp());
  host.park();
  host.describe();
  await condition(() => decisionOn(host.state, index) !== undefined && !host.isMoving);
  const since = Date.parse(approvalOf(host.state, index)?.asked_at ?? timestamp());
  host.state = parkedFor(host.state, since, Date.now());
  host.describe();
  return decisionOn(host.state, index) ?? { approved: false, at: timestamp() };
}

function denied({ reason }: ApprovalDecision): { readonly output: string; readonly is_error: true } {
  const why = reason === undefined || reason === "" ? "." : `: ${reason}${/[.!?]$/.test(reason) ? "" : "."}`;
  return { output: `Error: This call was not approved, and was not run${why}`, is_error: true };
}

/** The model is told what was run in the place of what it had asked for; so the history says it as well. */
function withEdit({ output }: Pick<RoundResult, "output">, edited: JsonObject): string {
  const said = typeof output === "string" ? output : JSON.stringify(output);
  const shown = boundText(JSON.stringify(edited), EDIT_BYTES);
  return `[run with other arguments, by whom approved it: ${shown}]\n${said}`;
}

function toldCall(
  { state }: TurnHost,
  { round, attempt, index }: Placed,
): ToldCall & { readonly number: number } {
  const { running } = state;
  if (running === null) throw new TypeError("No turn runs.");
  const { turn_id, started_at } = running;
  return {
    conversation_id: state.head.conversation_id,
    turn_id,
    turn_started_at: started_at,
    number: index + 1,
    round,
    attempt,
  };
}

/** Before the model goes on: what is told after that comes too late for its readers. */
async function tellDenied(
  host: TurnHost,
  placed: Placed,
  { decision, output }: { readonly decision: ApprovalDecision; readonly output: string },
): Promise<void> {
  if (!patched(DENIAL_PATCH)) return;
  const { id } = placed.call;
  const activities = proxyActivities<ConversationActivities>({ ...TELL_OPTIONS, summary: "denial" });
  try {
    await activities.tellDenied({ ...toldCall(host, placed), id, ...reasonOf(decision), output });
  } catch {
    // The turn does not depend on its readers.
  }
}

function reasonOf({ reason }: ApprovalDecision): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function callTool(host: TurnHost, placed: Placed, decision?: ApprovalDecision): Promise<ToolOutcome> {
  const { state } = host;
  const { call, position } = placed;
  const { running } = state;
  if (running === null) throw new TypeError("No turn runs.");
  const { id, name, answer } = call;
  const edited = decision?.arguments;
  const input: CallToolInput = {
    ...toldCall(host, placed),
    position,
    call: { id, name, arguments: edited ?? call.arguments, ...(answer === undefined ? {} : { answer }) },
    known: call.timeout_ms !== undefined,
    ...(decision === undefined
      ? {}
      : { approval: { ...reasonOf(decision), ...(edited === undefined ? {} : { edited: true }) } }),
    ...(state.head.checkpoint === null ? {} : { quiet: true }),
  };
  const summary = `tool ${name.slice(0, 64)} · turn ${state.head.run_count + 1}`;
  const activities =
    call.local === true
      ? proxyLocalActivities<ConversationActivities>({ ...localToolOptions(running), summary })
      : proxyActivities<ConversationActivities>({ ...toolOptions(running, call.timeout_ms), summary });
  return activities.callTool(input);
}

/** The server tells of a call that nobody has taken; a worker that took it and died is noticed later than this. */
function stateAfter(error: unknown, afterMs: number): ToolCallState {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure)
    return cause.timeoutType === "SCHEDULE_TO_START" ? "not_started" : "unknown";
  if (cause instanceof ApplicationFailure || cause instanceof CancelledFailure) {
    const [details] = cause.details ?? [];
    if (isJsonObject(details) && isToolState(details.tool_state)) return details.tool_state;
    if (cause instanceof CancelledFailure && afterMs < HEARTBEAT_TIMEOUT_MS) return "not_started";
  }
  return "unknown";
}

function isToolState(value: unknown): value is ToolCallState {
  return value === "not_started" || value === "unknown" || value === "settled";
}

/** What could not be decoded ends the turn and not the workflow. */
function assertOutcome(value: unknown, name: string): asserts value is ToolOutcome {
  if (isJsonObject(value) && "output" in value && typeof value.is_error === "boolean") return;
  throw ApplicationFailure.nonRetryable(
    `What tool ${name.slice(0, 64)} answered cannot be read: check that all workers run one release.`,
    "worker.undecodable",
  );
}
