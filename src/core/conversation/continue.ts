/** What one run of a conversation hands to the next, and what that one makes of it. */
import type { RebindRequest } from "./messages.js";
import { atRunEnd, segmentBytes } from "./segment.js";
import type { ConversationHead, ConversationState, PendingTurn, RunningTurn, Segment } from "./state.js";
import { EMPTY_SEGMENT } from "./state.js";

/** Most rebinds by signal that wait for the next run; they come within the milliseconds in which a run ends. */
export const CARRIED_REBINDS = 8;

/**
 * A turn that goes on in the next run, without its staged messages. It has the shape of a segment, so that a worker of a build
 * that carried no turns does not fail the conversation for an argument that it does not know.
 */
export interface CarriedTurn extends Segment {
  readonly running: Omit<RunningTurn, "staged">;
}

/**
 * The head beside a carried turn. A worker of a build that carried no turns finds no queue, fails its workflow task for that, and so leaves
 * the conversation to one that does; with a queue it would take the turn for a part of the history.
 */
export interface CarryingHead extends Omit<ConversationHead, "queue"> {
  readonly waiting: readonly PendingTurn[];
}

export type RunArguments = [head: ConversationHead | CarryingHead, ...parts: (Segment | CarriedTurn)[]];

/**
 * The arguments of the next run: the head, the sealed segments, which are stored already, and a small tail; of a parked turn its staged
 * messages, which are the same in every run that it waits in and so stored once, and the rest of it. The version goes on, so that a
 * reader whose pages come from two runs sees what has changed between them.
 */
export function continuedArguments(
  state: ConversationState,
  rebinds: readonly RebindRequest[],
): RunArguments {
  const { head, segments, tail, running, version } = atRunEnd(state);
  const { rebinds: _, ...rest } = head;
  const next: ConversationHead = {
    ...rest,
    version,
    signals_apart: true,
    ...(rebinds.length === 0 ? {} : { rebinds }),
  };
  if (running === null) return [next, ...segments, tail];
  const { queue: waiting, ...carrying } = next;
  const { staged: messages, ...turn } = running;
  const carried: CarriedTurn = { ...EMPTY_SEGMENT, running: turn };
  return [{ ...carrying, waiting }, ...segments, tail, { ...EMPTY_SEGMENT, messages }, carried];
}

/** The state with which a run begins: its arguments put together again. */
export function startingState(
  head: ConversationHead | CarryingHead,
  parts: readonly (Segment | CarriedTurn)[],
): ConversationState {
  const last = parts.at(-1);
  if (!("waiting" in head) || last === undefined || !("running" in last))
    return betweenTurns(head as ConversationHead, parts);
  const { waiting: queue, ...rest } = head;
  const staged = parts.at(-2)?.messages ?? [];
  return { ...betweenTurns({ ...rest, queue }, parts.slice(0, -2)), running: { ...last.running, staged } };
}

function betweenTurns(head: ConversationHead, segments: readonly Segment[]): ConversationState {
  const tail = segments.at(-1) ?? EMPTY_SEGMENT;
  return {
    head,
    segments: segments.slice(0, -1),
    tail,
    tailBytes: segmentBytes(tail),
    running: null,
    checkpointing: null,
    version: head.version ?? 0,
  };
}

/** Whoever sends a message in the moment in which a run ends. Clients send it again by themselves. */
export function movingText(conversationId: string): string {
  return `Conversation ${conversationId} is moving to its next run: send this again in a moment, with the same turn id.`;
}
