/** A turn that runs, or was interrupted, as `show` prints it: its question, and what has become of its tool calls. */

import type { RunningToolCall, RunningTurnView } from "../core/conversation/messages.js";
import type { InterruptedToolCall } from "../core/envelope/envelope.js";
import type { Terminal } from "./terminal.js";
import { count, minute, shorten } from "./wording.js";

const CALL_SHOWN = 160;
/** Of the calls of an interrupted turn, the last ones. */
const MOST_CALLS = 50;

const STATES: Readonly<Record<RunningToolCall["state"], string>> = {
  not_started: "not started",
  waits_for_approval: "waits for approval",
  denied: "denied",
  running: "runs",
  settled: "done",
};

interface Showing {
  readonly terminal: Terminal;
  /** The whole of what is known of the question, not one line. */
  readonly full: boolean;
  /** The one that it has once it is committed. */
  readonly number: number;
}

export function runningTurnLines(
  turn: RunningTurnView,
  { terminal, full, number }: Showing,
): readonly string[] {
  const said = questionOf(turn);
  const room = Math.max(40, terminal.width - 4);
  const question = terminal.safe(full ? said.replaceAll("\n", "\n    ") : shorten(said, room));
  const earlier = turn.tool_call_count - turn.tool_calls.length;
  const about = `since ${minute(turn.started_at)} UTC · ${terminal.safe(turn.turn_id)}`;
  return [
    "",
    `${terminal.style("bold", String(number))} ${terminal.style("dim", about)} · ${terminal.style("yellow", "running")}`,
    `  ${terminal.style("cyan", "›")} ${question}`,
    ...(earlier === 0 ? [] : [`  ${terminal.style("dim", `… ${count(earlier, "earlier tool call")}`)}`]),
    ...turn.tool_calls.map((call) => callLine(call, terminal)),
  ];
}

function questionOf({ message, message_characters, files }: RunningTurnView): string {
  const more = message_characters > message.length ? `… (${count(message_characters, "character")})` : "";
  return `${message}${more}${files === 0 ? "" : ` (with ${count(files, "file")})`}`;
}

function callLine(
  { call, name, arguments: given = "…", state }: RunningToolCall,
  terminal: Terminal,
): string {
  const asked = terminal.safe(shorten(`${name}(${given})`, CALL_SHOWN));
  const line = `call ${call} ${asked}: ${STATES[state]}`;
  return `  · ${state === "waits_for_approval" ? terminal.style("yellow", line) : line}`;
}

/** Nobody knows what a call has done that had begun and did not end. */
export function interruptedCallLines(
  calls: readonly InterruptedToolCall[],
  terminal: Terminal,
): readonly string[] {
  const from = Math.max(0, calls.length - MOST_CALLS);
  return calls.slice(from).map(({ name, state }, index) => {
    const known = state === "unknown" ? "nobody knows whether it ran" : STATES[state];
    return `  · call ${from + index + 1} ${terminal.safe(shorten(name, CALL_SHOWN))}: ${known}`;
  });
}
