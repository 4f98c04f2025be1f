/** Between the model calls of one turn: what they returned is staged, and what became of each tool call is kept. */
import { addUsage, EMPTY_USAGE } from "../envelope/accounting.js";
import type { InterruptedToolCall, MediaEntry, ToolCallState } from "../envelope/envelope.js";
import { toldMedia } from "../media/media-report.js";
import { addCost } from "../prices.js";
import type {
  CallModelFailureDetails,
  CallModelResult,
  PlannedCall,
  RoundResult,
  ToolOutcome,
  TurnSoFar,
} from "./activity-contract.js";
import type { ConversationState, RunningTurn, StagedCall } from "./state.js";

/** Of an answer that did not fit its schema, so much stands in the record of its turn. */
const PARTIAL_CHARACTERS = 4_000;

/** The state after a model call that is not the last one: its messages are staged, and none of the tools that it asks for has started. */
export function stageCall(state: ConversationState, result: CallModelResult): ConversationState {
  const { messages, tool_calls = [], ...call } = result;
  const calls = tool_calls.map(({ id, name }): InterruptedToolCall => ({ id, name, state: "not_started" }));
  // Those that end the turn are never run.
  const { round_limit, run_full, over_budget } = result;
  const ends = [round_limit, run_full, over_budget].some((reason) => reason !== undefined);
  const runs = calls.length > 0 && !ends;
  return withRunning(state, ({ edited_bytes: _, ...running }) => ({
    ...running,
    ...(runs ? { tool_rounds: (running.tool_rounds ?? 0) + 1 } : {}),
    staged: [...running.staged, ...messages],
    root: result.root,
    calls: [...running.calls, call],
    round: { calls: tool_calls, results: tool_calls.map(refusalOf) },
    tool_calls: [...running.tool_calls, ...calls],
  }));
}

/** What goes to the model for a call that is not run. */
function refusalOf({ id, name, answer, refused }: PlannedCall): RoundResult | null {
  if (refused === undefined) return null;
  const call = { id, name, ...(answer === undefined ? {} : { answer }) };
  return { call, output: refused, is_error: true };
}

/** What has become of a tool call; `index` counts over all rounds of the turn. */
export function markToolCall(
  state: ConversationState,
  index: number,
  becomes: ToolCallState,
): ConversationState {
  return withRunning(state, (running) => ({
    ...running,
    tool_calls: running.tool_calls.map((call, at) => (at === index ? { ...call, state: becomes } : call)),
  }));
}

/** A tool has answered. */
export function settleToolCall(
  state: ConversationState,
  index: number,
  { files = [], stored }: ToolOutcome,
): ConversationState {
  const kept = stored === undefined ? files : [...files, stored];
  return withRunning(markToolCall(state, index, "settled"), (running) => ({
    ...running,
    tool_files: [...running.tool_files, ...kept],
  }));
}

/** What goes to the model for a call of the round, which then never runs again; `position` counts within the round, from 0. */
export function answerCall(
  state: ConversationState,
  position: number,
  result: RoundResult,
): ConversationState {
  return withRunning(state, (running) => {
    const { round } = running;
    if (round === undefined) return running;
    const results = round.results.map((known, at) => (at === position ? result : known));
    return { ...running, round: { ...round, results } };
  });
}

/** Which of the turn's tool calls is the first of its last round, from 0. */
export function firstOfRound({ tool_calls, round }: Pick<RunningTurn, "tool_calls" | "round">): number {
  return tool_calls.length - (round?.calls.length ?? 0);
}

/** An approval was waited for; what several calls have waited for at one time counts once. */
export function parkedFor(state: ConversationState, sinceMs: number, nowMs: number): ConversationState {
  return withRunning(state, (running) => {
    const counted = running.parked_until_ms ?? 0;
    const parked = Math.max(0, nowMs - Math.max(sinceMs, counted));
    return { ...running, parked_ms: running.parked_ms + parked, parked_until_ms: nowMs };
  });
}

function withRunning(
  state: ConversationState,
  change: (running: RunningTurn) => RunningTurn,
): ConversationState {
  if (state.running === null) return state;
  return { ...state, running: change(state.running), version: state.version + 1 };
}

/**
 * The next call's attempts are counted on from here, so that a reader sees one turn. An answer that was sent back counts as an
 * attempt that was given up: what comes in its place replaces it.
 */
export function turnSoFar({ head, running }: ConversationState): TurnSoFar | undefined {
  if (running === null || running.calls.length === 0) return undefined;
  const last = running.calls.at(-1);
  const uploads = running.calls.flatMap(({ media_uploads = [] }) => media_uploads);
  const cost = costOfCalls(running.calls);
  return {
    lost_attempts: (last?.attempt ?? 1) - (last?.repair === undefined ? 1 : 0),
    from: head.root.count,
    provider_calls: providerCalls(running.calls),
    tool_calls: startedToolCalls(running),
    asked_calls: running.tool_calls.length,
    usage: usageOf(running.calls),
    ...(cost === undefined ? {} : { cost }),
    ...(uploads.length === 0 ? {} : { media_uploads: uploads }),
    ...toldMedia(running.calls.flatMap(({ media_report = [] }) => media_report)),
  };
}

/** What the last answer has cost stands with the staged calls. */
export function invalidOutputDetails({ attempt }: CallModelResult, text: string): CallModelFailureDetails {
  const partial_text = text.slice(0, PARTIAL_CHARACTERS).toWellFormed();
  return { attempt, provider_calls: 0, partial_text };
}

export function providerCalls(calls: readonly StagedCall[]): number {
  return calls.reduce((sum, call) => sum + call.provider_calls, 0);
}

export function usageOf(calls: readonly Pick<StagedCall, "usage">[]): CallModelResult["usage"] {
  return calls.reduce((sum, { usage }) => addUsage(sum, usage), EMPTY_USAGE);
}

/** Of those whose price was known; undefined where none was. */
export function costOfCalls(calls: readonly Pick<StagedCall, "cost">[]): number | undefined {
  return calls.reduce<number | undefined>((sum, { cost }) => addCost(sum, cost), undefined);
}

export function startedToolCalls({ tool_calls }: Pick<RunningTurn, "tool_calls">): number {
  return tool_calls.filter(({ state }) => state !== "not_started").length;
}

/** The last call's result with everything in it that the turn's calls before it returned. */
export function wholeResult({ calls, staged }: RunningTurn, last: CallModelResult): CallModelResult {
  if (calls.length === 0) return last;
  const all = [...calls, last];
  const media: Readonly<Record<string, MediaEntry>> = Object.assign(
    {},
    ...all.map(({ media = {} }) => media),
  );
  const media_report = withoutRepetition(all.flatMap((call) => call.media_report ?? []));
  const media_uploads = all.flatMap((call) => call.media_uploads ?? []);
  const cost = costOfCalls(all);
  const prefixed = all.findLast(({ prefix }) => prefix !== undefined);
  return {
    ...last,
    messages: [...staged, ...last.messages],
    usage: usageOf(all),
    ...(cost === undefined ? {} : { cost }),
    provider_calls: providerCalls(all),
    ...(Object.keys(media).length === 0 ? {} : { media }),
    ...(media_report.length === 0 ? {} : { media_report }),
    ...(media_uploads.length === 0 ? {} : { media_uploads }),
    ...(prefixed?.prefix === undefined ? {} : { prefix: prefixed.prefix }),
    ...(prefixed?.prefix_completed === undefined ? {} : { prefix_completed: prefixed.prefix_completed }),
  };
}

/** What is missing is missing from every request of the turn. */
function withoutRepetition<T>(entries: readonly T[]): readonly T[] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()];
}
