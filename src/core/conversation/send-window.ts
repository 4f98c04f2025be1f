/** The agent's send window: only the last whole turns go to the provider; the history itself is never cut. */
import type { SendWindow } from "../agent.js";
import type { Dialect } from "../dialects/dialect.js";
import { isRepair } from "../dialects/repair-message.js";
import type { NativeMessage } from "../envelope/envelope.js";
import { jsonByteLength } from "../json-byte-length.js";

/** A rough measure that all providers' tokenisers stay near to, without one of them. */
const BYTES_PER_TOKEN = 4;

export interface Sent {
  readonly messages: readonly NativeMessage[];
  readonly turnsLeftOut: number;
  /** The messages that are not sent, where there are any. */
  readonly leftOut?: { readonly from: number; readonly to: number };
}

/** The index in the whole history of a message that is sent. */
export function historyIndex({ leftOut }: Pick<Sent, "leftOut">, sentIndex: number): number {
  return leftOut === undefined || sentIndex < leftOut.from
    ? sentIndex
    : sentIndex + leftOut.to - leftOut.from;
}

/**
 * The messages to send: what stands before the first turn (system text), then as many of the last turns as the window
 * allows. The newest turn is always among them, however large it is.
 */
export function sendWindow(
  dialect: Pick<Dialect, "startsTurn" | "hasToolResults">,
  messages: readonly NativeMessage[],
  window: SendWindow | undefined,
): Sent {
  if (window === undefined) return { messages, turnsLeftOut: 0 };
  // What follows results at once are the files that came with them; an answer is sent back within its turn.
  const startsTurn = (message: NativeMessage, before: NativeMessage | undefined): boolean =>
    dialect.startsTurn(message) &&
    !isRepair(message) &&
    !(before !== undefined && dialect.hasToolResults(before));
  const starts = messages.flatMap((message, index) =>
    startsTurn(message, messages[index - 1]) ? [index] : [],
  );
  const newest = starts.length - 1;
  if (newest < 1) return { messages, turnsLeftOut: 0 };
  const mostTurns = Math.max(1, window.turns ?? starts.length);
  let room = (window.input_tokens ?? Number.POSITIVE_INFINITY) * BYTES_PER_TOKEN;
  let first = starts.length;
  while (first > 0 && starts.length - first < mostTurns) {
    const turn = messages.slice(starts[first - 1], starts[first]);
    room -= Number.isFinite(room) ? jsonByteLength(turn) : 0;
    if (room < 0 && first <= newest) break;
    first--;
  }
  const [from, to] = [starts[0], starts[first]];
  if (first === 0 || from === undefined || to === undefined) return { messages, turnsLeftOut: 0 };
  return {
    messages: [...messages.slice(0, from), ...messages.slice(to)],
    turnsLeftOut: first,
    leftOut: { from, to },
  };
}
