/** The frames of tool rounds, and where they stand among those of the turn. */
import type { CallToolInput, PlannedCall, ToolOutcome } from "../../core/conversation/activity-contract.js";
import { type FrameSink, ROUND_SEQ } from "../../core/conversation/frame.js";
import { TurnFrames } from "../turn-frames.js";

/** Results stand in the second half, by the time in microseconds: they come from several activities at once. */
const RESULTS = ROUND_SEQ / 2;
const MOST_CHARACTERS = 16 * 1024;

/** Where the frames of a model call begin. */
export function firstFrame(round: number): number {
  return round * ROUND_SEQ;
}

/** `asked`: how many calls the turn's model calls before this one have asked for. */
export function pushToolCalls(frames: TurnFrames, calls: readonly PlannedCall[], asked: number): void {
  for (const [index, { id, name, arguments: given, approval }] of calls.entries()) {
    const number = approval === true ? { approval: asked + index + 1 } : {};
    frames.push({ type: "tool_call", id, name, arguments: shown(JSON.stringify(given)), ...number });
  }
}

export function pushToolResult(sink: FrameSink, input: CallToolInput, outcome: ToolOutcome): void {
  const frames = framesOf(sink, input);
  const { output, is_error } = outcome;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const names = (outcome.files ?? []).map(({ name, mime_type }) => `[${name}, ${mime_type}]`);
  const said = [text, ...names].filter((line) => line !== "").join("\n");
  frames.push({ type: "tool_result", id: input.call.id, output: shown(said), is_error });
}

/** A call that is stopped, or that fails its turn, ends it: readers need not ask. */
export function pushTurnEnd(sink: FrameSink, input: CallToolInput): void {
  if (input.quiet !== true) framesOf(sink, input).push({ type: "end", state: "interrupted", digest: null });
}

function framesOf(sink: FrameSink, input: CallToolInput): TurnFrames {
  const { conversation_id: conversation, turn_id: turn, attempt, round } = input;
  const elapsed = Math.floor((performance.timeOrigin + performance.now()) * 1_000) % RESULTS;
  return new TurnFrames(sink, { conversation, turn, attempt }, round * ROUND_SEQ + RESULTS + elapsed);
}

function shown(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…`;
}
