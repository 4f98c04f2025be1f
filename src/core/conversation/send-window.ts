/** The agent's send window: only the last whole turns go to the provider; the history itself is never cut. */
import type { SendWindow } from "../agent.js";
import type { NativeMessage } from "../envelope/envelope.js";
import { jsonByteLength } from "../json-byte-length.js";
import { beginsTurn, type TurnDialect, type TurnStarts, turnStarts } from "./turn-starts.js";

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
 * allows. The newest turn is always among them, however large it is. `added` is what the turn adds to the history: what the
 * window leaves out of that is neither copied nor looked at again.
 */
export function sendWindow(
  dialect: TurnDialect,
  history: readonly NativeMessage[],
  window: SendWindow | undefined,
  added: readonly NativeMessage[] = [],
): Sent {
  const cut = window === undefined ? undefined : windowCut(dialect, new Grown(history, added), window);
  if (cut !== undefined) return cut;
  return { messages: added.length === 0 ? history : [...history, ...added], turnsLeftOut: 0 };
}

/** Undefined where everything is sent. */
function windowCut(dialect: TurnDialect, messages: Grown, window: SendWindow): Sent | undefined {
  const { first: from, count } = messages.turnStarts(dialect);
  if (from === undefined || count < 2) return undefined;
  const mostTurns = Math.max(1, window.turns ?? count);
  let room = (window.input_tokens ?? Number.POSITIVE_INFINITY) * BYTES_PER_TOKEN;
  let to = messages.length;
  let turns = 0;
  while (turns < count && turns < mostTurns) {
    const start = messages.lastStart(dialect, to);
    room -= Number.isFinite(room) ? jsonByteLength(messages.slice(start, to)) : 0;
    if (room < 0 && turns > 0) break;
    to = start;
    turns++;
  }
  if (turns === count) return undefined;
  return {
    messages: [...messages.slice(0, from), ...messages.slice(to, messages.length)],
    turnsLeftOut: count - turns,
    leftOut: { from, to },
  };
}

/** A history and what a turn adds, without a copy of both. */
class Grown {
  readonly #history: readonly NativeMessage[];
  readonly #added: readonly NativeMessage[];
  readonly length: number;

  constructor(history: readonly NativeMessage[], added: readonly NativeMessage[]) {
    this.#history = history;
    this.#added = added;
    this.length = history.length + added.length;
  }

  turnStarts(dialect: TurnDialect): TurnStarts {
    const { first, count } = turnStarts(dialect, this.#history);
    const starts = this.#added.flatMap((_message, at) =>
      this.#isStart(dialect, this.#history.length + at) ? [this.#history.length + at] : [],
    );
    return { first: first ?? starts[0], count: count + starts.length };
  }

  /** Of the turns that begin before `end`, where the last one does. */
  lastStart(dialect: TurnDialect, end: number): number {
    let at = end - 1;
    while (at > 0 && !this.#isStart(dialect, at)) at--;
    return at;
  }

  slice(from: number, to: number): readonly NativeMessage[] {
    const { length } = this.#history;
    if (to <= length) return this.#history.slice(from, to);
    return [...this.#history.slice(from), ...this.#added.slice(Math.max(0, from - length), to - length)];
  }

  #isStart(dialect: TurnDialect, at: number): boolean {
    const message = this.#at(at);
    return message !== undefined && beginsTurn(dialect, message, this.#at(at - 1));
  }

  #at(at: number): NativeMessage | undefined {
    return at < this.#history.length ? this.#history[at] : this.#added[at - this.#history.length];
  }
}
