/** The turn that runs, as far as it can be told in a few lines: what was asked, and what became of its tool calls. */
import type { ToolCallState } from "../envelope/envelope.js";
import { approvalOf } from "./approvals.js";
import { lastWithin } from "./first-within.js";
import type { RunningToolCall, RunningTurnView } from "./messages.js";
import type { ConversationState, RunningTurn } from "./state.js";
import { firstOfRound } from "./tool-rounds.js";

const MESSAGE_SHOWN = 2_000;
const ARGUMENTS_SHOWN = 200;
const NAME_SHOWN = 100;
/** The newest. */
const CALLS_SHOWN = 50;

const STATES: Readonly<Record<ToolCallState, RunningToolCall["state"]>> = {
  not_started: "not_started",
  unknown: "running",
  settled: "settled",
};

export function runningTurnView({ running }: ConversationState): RunningTurnView | undefined {
  if (running === null) return undefined;
  const { turn_id, message, files = [], started_at, tool_calls } = running;
  const shown = Math.min(CALLS_SHOWN, tool_calls.length);
  return {
    turn_id,
    message: message.slice(0, MESSAGE_SHOWN).toWellFormed(),
    message_characters: message.length,
    files: files.length,
    started_at,
    tool_call_count: tool_calls.length,
    tool_calls: lastWithin(
      Array.from({ length: shown }, (_, at) => callView(running, tool_calls.length - shown + at)),
    ),
  };
}

/** `index` counts over all rounds of the turn, from 0. Of earlier rounds the arguments stand in the staged messages only. */
function callView(running: RunningTurn, index: number): RunningToolCall {
  const { name = "", state = "not_started" } = running.tool_calls[index] ?? {};
  const planned = running.round?.calls[index - firstOfRound(running)];
  const approval = approvalOf({ running }, index);
  const waits = approval !== undefined && approval.decision === null;
  const denied = approval?.decision?.approved === false;
  const edited = approval?.decision?.arguments;
  const given = edited ?? planned?.arguments;
  return {
    call: index + 1,
    name: name.slice(0, NAME_SHOWN).toWellFormed(),
    ...(given === undefined
      ? {}
      : { arguments: JSON.stringify(given).slice(0, ARGUMENTS_SHOWN).toWellFormed() }),
    state: waits ? "waits_for_approval" : denied ? "denied" : STATES[state],
  };
}
