/** Where the turns of a history lie that has no index of them. */
import type { NativeMessage } from "./envelope.js";

export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A turn starts at each message that `startsTurn` names and ends before the next one. Messages before the first turn,
 * such as system text, belong to none.
 */
export function turnRanges(
  messages: readonly NativeMessage[],
  startsTurn: (message: NativeMessage) => boolean,
): readonly TurnRange[] {
  const starts = messages.flatMap((message, index) => (startsTurn(message) ? [index] : []));
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? messages.length }));
}
