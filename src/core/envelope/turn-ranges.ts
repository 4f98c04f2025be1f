/** Where the turns of a history lie that has no index of them. */
import { isRepair } from "../dialects/repair-message.js";
import type { NativeMessage } from "./envelope.js";

export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A turn starts at each message that `startsTurn` names and ends before the next one. Messages before the first turn,
 * such as system text, belong to none; the message that sends an answer back belongs to the turn of that answer.
 */
export function turnRanges(
  messages: readonly NativeMessage[],
  startsTurn: (message: NativeMessage) => boolean,
): readonly TurnRange[] {
  const isStart = (message: NativeMessage): boolean => startsTurn(message) && !isRepair(message);
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? messages.length }));
}

/** Where a committed turn lies and the id that it gets from its number, so that the same history gives the same ids. */
export interface RestoredTurn extends TurnRange {
  readonly turn_id: string;
  readonly state: "committed";
}

/** The index entries of the turns of a history that has none: `restored-1`, `restored-2`, … each with who served it. */
export function restoredTurns<Served extends object>(
  messages: readonly NativeMessage[],
  startsTurn: (message: NativeMessage) => boolean,
  served: Served,
): readonly (RestoredTurn & Served)[] {
  return turnRanges(messages, startsTurn).map(({ from, to }, index) => ({
    turn_id: `restored-${index + 1}`,
    state: "committed",
    from,
    to,
    ...served,
  }));
}
