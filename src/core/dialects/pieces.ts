/** A history read and repaired piece by piece, so that a long one is never held as a whole in the pivot. */
import type { ConversionReportEntry } from "../envelope/envelope.js";
import type { JsonObject } from "../json.js";
import { append } from "./append.js";
import type { CallIdRule, DialectConversion, ReadRange, RepairedEntry } from "./pivot.js";
import { HistoryRepair, type ReservedIds } from "./repair.js";

/** Messages of a piece: enough that a piece costs nothing, few enough that what is made of it is soon forgotten. */
export const PIECE = 256;

export interface Source {
  readonly messages: readonly JsonObject[];
  readonly conversion: DialectConversion;
  /** Whether a user's turn starts at the message. */
  startsTurn(message: JsonObject): boolean;
}

export interface Target {
  readonly callIds: CallIdRule;
  readonly reserved: ReservedIds | undefined;
}

/** A history in which something reaches from one piece into another. */
export class Inseparable extends Error {
  override readonly name = "Inseparable";
}

/**
 * Yields the repaired entries; what is found on the way is added to the report. A piece has `size` messages or somewhat more.
 *
 * @throws Inseparable where the history has to be read in one piece, unless the size is infinite.
 */
export function* repairedEntries(
  source: Source,
  target: Target,
  report: ConversionReportEntry[],
  size: number,
): Generator<RepairedEntry, void, undefined> {
  const repair = new HistoryRepair(target.callIds, target.reserved);
  const count = source.messages.length;
  let range: ReadRange = { first: 0, end: pieceEnd(source, 0, size), leading: true };
  for (;;) {
    const isLast = range.end >= count;
    const read = source.conversion.readHistory(source.messages, range);
    assertSeparate(range, read.entries[0]?.kind, read.unfinished === true && !isLast);
    const repaired = repair.repair(read.entries, isLast);
    if (repaired === undefined) throw new Inseparable();
    append(report, read.report);
    append(report, repaired.report);
    yield* repaired.entries;
    if (isLast) return;
    const leading = range.leading && read.entries.every(({ kind }) => kind === "system");
    range = { first: range.end, end: pieceEnd(source, range.end, size), leading };
  }
}

function assertSeparate({ first }: ReadRange, begins: string | undefined, unfinished: boolean): void {
  if (unfinished || (first > 0 && begins !== "user")) throw new Inseparable();
}

/** Where the piece that begins here can end: before a user's turn. */
function pieceEnd({ messages, startsTurn }: Source, first: number, size: number): number {
  for (let end = first + size; end < messages.length; end++) {
    const message = messages[end];
    if (message !== undefined && startsTurn(message)) return end;
  }
  return messages.length;
}
