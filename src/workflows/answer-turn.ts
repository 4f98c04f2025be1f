/** One turn: calls of the model, with a round of tools after each that asks for tools. */
import { ApplicationFailure, CancelledFailure, proxyActivities, workflowInfo } from "@temporalio/workflow";
import type {
  CallModelInput,
  CallModelResult,
  ConversationActivities,
  RoundResult,
  RunLength,
} from "../core/conversation/activity-contract.js";
import { budgetInput } from "../core/conversation/budget-use.js";
import type { ConversationHead, ConversationState, RunningTurn } from "../core/conversation/state.js";
import { invalidOutputDetails, stageCall, turnSoFar } from "../core/conversation/tool-rounds.js";
import { commitTurn } from "../core/conversation/turn.js";
import { answerText } from "../core/dialects/answer-text.js";
import { dialectFor } from "../core/dialects/index.js";
import { isJsonObject } from "../core/json.js";
import { CALL_MODEL_OPTIONS, remainingMs } from "./activity-options.js";
import { runRound } from "./run-round.js";
import { assertNotStopped } from "./stopped-before-call.js";
import { timestamp } from "./timestamp.js";

/** What holds the state that a turn changes. */
export interface TurnHost {
  state: ConversationState;
  /** The run is about to end: of a parked turn nothing is begun any more, the next run goes on with it. */
  readonly isMoving: boolean;
  /** Shows on Temporal's own page where the turn stands. */
  describe(): void;
  /** A call of the turn waits for somebody's word. */
  park(): void;
}

/** Holds the state for as long as one turn runs: what comes of it once it was given up changes no later one. */
export class OneTurn implements TurnHost {
  readonly #host: TurnHost;
  readonly #turnId: string;

  constructor(host: TurnHost, turnId: string) {
    this.#host = host;
    this.#turnId = turnId;
  }

  get state(): ConversationState {
    return this.#host.state;
  }

  set state(changed: ConversationState) {
    if (this.#host.state.running?.turn_id === this.#turnId) this.#host.state = changed;
  }

  get isMoving(): boolean {
    return this.#host.isMoving;
  }

  describe(): void {
    this.#host.describe();
  }

  park(): void {
    this.#host.park();
  }
}

/**
 * Until the turn is committed, in the activation that brings the final answer. Each next call is started on the result of
 * the one before it, never on a condition: messages of the same workflow task come after it (decision 0023).
 *
 * @throws whatever ends the turn otherwise: the failure of an activity, a stop, too many rounds.
 */
export async function answerTurn(host: TurnHost): Promise<void> {
  let results = host.state.running?.round === undefined ? undefined : await carriedRound(host);
  for (;;) {
    const { running } = host.state;
    if (running === null) return;
    if (running.calls.length > 0) assertNotStopped(host.state, {});
    const result = await callModel(host.state, running, { round: running.calls.length, results });
    assertResult(result);
    const calls = result.tool_calls ?? [];
    if (calls.length === 0 && result.repair === undefined && result.invalid_output === undefined) {
      host.state = commitTurn(host.state, result, timestamp());
      return;
    }
    host.state = stageCall(host.state, result);
    assertRounds(result);
    assertRoom(result);
    assertBudget(result);
    assertOutput(host.state, result);
    results = result.repair === undefined ? await runRound(host) : undefined;
  }
}

/** The round with which the run before this one has handed the turn over. @throws CancelledFailure where it was stopped on the way. */
function carriedRound(host: TurnHost): Promise<readonly RoundResult[]> {
  const stop = host.state.running?.cancelled ?? null;
  if (stop !== null) throw new CancelledFailure(stop.reason);
  return runRound(host);
}

interface Round {
  readonly round: number;
  readonly results: readonly RoundResult[] | undefined;
}

function callModel(
  state: ConversationState,
  running: RunningTurn,
  { round, results }: Round,
): Promise<CallModelResult> {
  const { model, run_count } = state.head;
  const summary = `turn ${run_count + 1} · ${model}`;
  const activities = proxyActivities<ConversationActivities>({
    ...CALL_MODEL_OPTIONS,
    ...(round === 0 ? {} : { scheduleToCloseTimeout: remainingMs(running) }),
    summary,
  });
  const first = { root: state.head.root, user: userOf(running) };
  const later = { root: running.root ?? state.head.root, round, ...said(running, results ?? []) };
  const before = turnSoFar(state);
  const budget = budgetInput(state);
  return activities.callModel({
    ...common(state.head, running),
    ...(round === 0 ? first : later),
    ...(before === undefined ? {} : { before }),
    ...(budget === undefined ? {} : { budget }),
    ...(round === 0 ? {} : { run_length: runLength() }),
  });
}

/** By the server: whoever decides by it has to have that recorded, for a replay may find it otherwise. */
function runLength(): RunLength {
  const { historyLength: events, historySize: bytes } = workflowInfo();
  return { events, bytes };
}

/** What a later call tells the model: why its answer is sent back, or what the tools answered. It is sent back once a turn. */
function said(
  { calls }: RunningTurn,
  results: readonly RoundResult[],
): Pick<CallModelInput, "user" | "results" | "repaired"> {
  const repair = calls.at(-1)?.repair;
  const repaired = calls.some((call) => call.repair !== undefined);
  return {
    ...(repair === undefined ? { results } : { user: { text: repair } }),
    ...(repaired ? { repaired } : {}),
  };
}

function common({ agent, ...head }: ConversationHead, running: RunningTurn): Omit<CallModelInput, "root"> {
  const mayMove = agent.name !== undefined || agent.tools.some((tool) => tool.input_schema === undefined);
  return {
    conversation_id: head.conversation_id,
    run_id: workflowInfo().runId,
    turn_id: running.turn_id,
    ...(running.output_schema === undefined ? {} : { output_schema: running.output_schema }),
    agent: head.agent_digest,
    ...(mayMove ? { prefix: head.prefix.fingerprint } : {}),
    ...(head.checkpoint === null ? {} : { quiet: true }),
  };
}

function userOf({ message, files }: RunningTurn): NonNullable<CallModelInput["user"]> {
  return { text: message, ...(files === undefined ? {} : { files }) };
}

function assertRounds({ round_limit }: CallModelResult): void {
  if (round_limit === undefined) return;
  throw ApplicationFailure.nonRetryable(
    `The model asked for tools once more after ${round_limit} rounds of them: ask for less at once, or allow more rounds on the worker.`,
    "turn.too_many_rounds",
  );
}

function assertRoom({ run_full }: CallModelResult): void {
  if (run_full !== undefined) throw ApplicationFailure.nonRetryable(run_full, "turn.run_full");
}

/** The record of the turn shows how the answer begins that did not fit. */
function assertOutput({ head }: ConversationState, result: CallModelResult): void {
  if (result.invalid_output === undefined) return;
  const text = answerText(dialectFor(head.provider), result.messages);
  throw ApplicationFailure.create({
    type: "turn.invalid_output",
    message: result.invalid_output,
    nonRetryable: true,
    details: [invalidOutputDetails(result, text)],
  });
}

/** The worker knows what the budget allows; it is asked before any tool is. */
function assertBudget({ over_budget }: CallModelResult): void {
  if (over_budget === undefined) return;
  throw ApplicationFailure.nonRetryable(over_budget.error, over_budget.error_type);
}

/** A result that another build wrote, or that could not be decoded, ends the turn and not the workflow. */
function assertResult(value: unknown): asserts value is CallModelResult {
  if (isJsonObject(value) && Array.isArray(value.messages) && isJsonObject(value.root)) return;
  throw ApplicationFailure.nonRetryable(
    "The worker answered with something this conversation cannot read: check that all workers run one release.",
    "worker.undecodable",
  );
}
