/** Where the turns of a history begin: looked for once, and then only in what a turn has added. */
import type { Dialect } from "../dialects/dialect.js";
import { isRepair } from "../dialects/repair-message.js";
import type { NativeMessage } from "../envelope/envelope.js";

export type TurnDialect = Pick<Dialect, "startsTurn" | "hasToolResults">;

export interface TurnStarts {
  /** Undefined where no turn begins. */
  readonly first: number | undefined;
  readonly count: number;
}

const NONE: TurnStarts = { first: undefined, count: 0 };

/** By the history itself, which is never changed in place. */
const known = new WeakMap<readonly NativeMessage[], Map<TurnDialect, TurnStarts>>();

export function turnStarts(dialect: TurnDialect, history: readonly NativeMessage[]): TurnStarts {
  const before = known.get(history)?.get(dialect);
  if (before !== undefined) return before;
  const starts = counted(dialect, NONE, history);
  remember(history, dialect, starts);
  return starts;
}

/** The history with more at its end, of which is known at once what was known of the history. */
export function grownHistory(
  history: readonly NativeMessage[],
  added: readonly NativeMessage[],
): readonly NativeMessage[] {
  const grown = [...history, ...added];
  for (const [dialect, starts] of known.get(history) ?? [])
    remember(grown, dialect, counted(dialect, starts, grown, history.length));
  return grown;
}

/** What follows results at once are the files that came with them; an answer is sent back within its turn. */
export function beginsTurn(
  dialect: TurnDialect,
  message: NativeMessage,
  before: NativeMessage | undefined,
): boolean {
  return (
    dialect.startsTurn(message) &&
    !isRepair(message) &&
    !(before !== undefined && dialect.hasToolResults(before))
  );
}

function counted(
  dialect: TurnDialect,
  before: TurnStarts,
  messages: readonly NativeMessage[],
  from = 0,
): TurnStarts {
  let starts = before;
  for (const [at, message] of messages.slice(from).entries()) {
    if (!beginsTurn(dialect, message, messages[from + at - 1])) continue;
    starts = { first: starts.first ?? from + at, count: starts.count + 1 };
  }
  return starts;
}

function remember(history: readonly NativeMessage[], dialect: TurnDialect, starts: TurnStarts): void {
  const ofHistory = known.get(history) ?? new Map<TurnDialect, TurnStarts>();
  known.set(history, ofHistory.set(dialect, starts));
}
