/** The frames of tool rounds, and where they stand among those of the turn. */
import type {
  CallToolInput,
  PlannedCall,
  TellDeniedInput,
  ToldCall,
  ToolOutcome,
} from "../../core/conversation/activity-contract.js";
import { type FrameSink, ROUND_SEQ } from "../../core/conversation/frame.js";
import { TurnFrames } from "../turn-frames.js";

/**
 * Results stand in the second half, since they come from several activities at once: by the time of the turn in units of 10 µs, of
 * which it has 57 days, as a call may wait for somebody's word.
 */
const RESULTS = ROUND_SEQ / 2;
const TICKS_A_MS = 100;
/** How much a worker's clock may be behind that of the server, in milliseconds. */
const CLOCK_MS = 24 * 60 * 60_000;
const MOST_CHARACTERS = 16 * 1024;

/** Where the frames of a model call begin. */
export function firstFrame(round: number): number {
  return round * ROUND_SEQ;
}

/** `asked`: how many calls the turn's model calls before this one have asked for. Nothing runs that would tell of a refused one. */
export function pushToolCalls(frames: TurnFrames, calls: readonly PlannedCall[], asked: number): void {
  for (const [index, { id, name, arguments: given, approval, refused }] of calls.entries()) {
    const call = asked + index + 1;
    const waits = approval === true ? { approval: call } : {};
    frames.push({ type: "tool_call", call, id, name, arguments: shown(JSON.stringify(given)), ...waits });
    if (refused !== undefined)
      frames.push({ type: "tool_result", call, id, output: refused, is_error: true });
  }
}

/** An approval, as the tool begins. */
export function pushApproval(sink: FrameSink, input: CallToolInput): void {
  const { approval, call, number } = input;
  if (approval === undefined || number === undefined) return;
  const { reason, edited } = approval;
  framesOf(sink, input).push({
    type: "tool_approval",
    call: number,
    id: call.id,
    approved: true,
    ...(reason === undefined ? {} : { reason }),
    ...(edited === undefined ? {} : { arguments: shown(JSON.stringify(call.arguments)) }),
  });
}

/** A denial, and the result that the model gets for it. */
export function pushDenial(sink: FrameSink, input: TellDeniedInput): void {
  const { number: call, id, reason, output } = input;
  const frames = framesOf(sink, input);
  const why = reason === undefined ? {} : { reason };
  frames.push({ type: "tool_approval", call, id, approved: false, ...why });
  frames.push({ type: "tool_result", call, id, output, is_error: true });
}

export function pushToolResult(sink: FrameSink, input: CallToolInput, outcome: ToolOutcome): void {
  const { output, is_error } = outcome;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const names = (outcome.files ?? []).map(({ name, mime_type }) => `[${name}, ${mime_type}]`);
  const said = [text, ...names].filter((line) => line !== "").join("\n");
  const { number, call } = input;
  const which = number === undefined ? {} : { call: number };
  framesOf(sink, input).push({
    type: "tool_result",
    ...which,
    id: call.id,
    output: shown(said),
    is_error,
  });
}

/** A call that is stopped, or that fails its turn, ends it: readers need not ask. */
export function pushTurnEnd(sink: FrameSink, input: CallToolInput): void {
  if (input.quiet !== true) framesOf(sink, input).push({ type: "end", state: "interrupted", digest: null });
}

function framesOf(sink: FrameSink, place: ToldCall): TurnFrames {
  const { conversation_id: conversation, turn_id: turn, attempt, round } = place;
  const since = Date.parse(place.turn_started_at ?? "") || CLOCK_MS;
  const elapsed = Math.max(0, nextTick() - (since - CLOCK_MS) * TICKS_A_MS) % RESULTS;
  return new TurnFrames(sink, { conversation, turn, attempt }, round * ROUND_SEQ + RESULTS + elapsed);
}

let lastTick = 0;

/** Of this process no two, so that none of its frames takes another's number; a denial is two frames. */
function nextTick(): number {
  lastTick = Math.max(lastTick + 2, Math.floor((performance.timeOrigin + performance.now()) * TICKS_A_MS));
  return lastTick;
}

function shown(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…`;
}
