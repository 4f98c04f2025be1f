/** The attic: what a conversion could not carry, in its native form, keyed to where it stood. The way back is exact. */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import { DIALECT_NAMES, type DialectName } from "../providers.js";
import { type Alignment, Cuts } from "./alignment.js";
import { append } from "./append.js";

/** One for each dialect that the history has been in: how much of the present list stands for it, and its system text. */
export interface AtticBase {
  readonly dialect: DialectName;
  readonly model: string;
  /** The first messages of the present list, up to here, were once native to that dialect. */
  readonly upto: number;
  readonly system: string | null;
}

/** A range of the present list, and the native messages that stood there, where conversion alone would not give them back. */
export interface AtticUnit {
  readonly dialect: DialectName;
  readonly from: number;
  readonly to: number;
  readonly messages: readonly JsonObject[];
}

export type AtticEntry = AtticBase | AtticUnit;

/** The entries of an envelope's attic that are of this form; what another release keeps there otherwise is not ours to read. */
export function readAttic(attic: readonly JsonObject[]): readonly AtticEntry[] {
  return attic.filter((entry) => isAtticEntry(entry)) as unknown as readonly AtticEntry[];
}

function isAtticEntry({ dialect, model, system, upto, from, to, messages }: JsonObject): boolean {
  if (!DIALECT_NAMES.includes(dialect as DialectName)) return false;
  if (messages === undefined)
    return isPlace(upto) && typeof model === "string" && (system === null || typeof system === "string");
  return (
    isPlace(from) && isPlace(to) && from <= to && Array.isArray(messages) && messages.every(isJsonObject)
  );
}

function isPlace(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** What a cut took away of the attic of one dialect: so many units, the first of them from this place on. */
export interface AtticLoss {
  readonly dialect: DialectName;
  readonly units: number;
  readonly from: number;
}

/**
 * The attic of a list that ends at a place. A unit that reaches beyond it cannot be cut, for what stands in it is whole:
 * the way back is exact up to its start only.
 */
export function cutAttic(
  attic: readonly JsonObject[],
  place: number,
): { readonly attic: readonly JsonObject[]; readonly lost: readonly AtticLoss[] } {
  const reachesBeyond = (entry: AtticEntry): entry is AtticUnit => isUnit(entry) && entry.to > place;
  const gone = readAttic(attic).filter(reachesBeyond);
  const lost = DIALECT_NAMES.flatMap((dialect): AtticLoss[] => {
    const units = gone.filter((unit) => unit.dialect === dialect);
    if (units.length === 0) return [];
    return [
      { dialect, units: units.length, from: units.reduce((first, { from }) => Math.min(first, from), place) },
    ];
  });
  const kept = attic.flatMap((entry): JsonObject[] => {
    const [known] = readAttic([entry]);
    if (known === undefined) return [entry];
    if (isUnit(known)) return reachesBeyond(known) ? [] : [entry];
    const from = lost.find(({ dialect }) => dialect === known.dialect)?.from ?? place;
    return [{ ...entry, upto: Math.min(known.upto, place, from) }];
  });
  return { attic: kept, lost };
}

export interface AtticOf {
  readonly base: AtticBase;
  readonly units: readonly AtticUnit[];
}

export function isUnit(entry: AtticEntry): entry is AtticUnit {
  return "messages" in entry;
}

/** What the attic holds of one dialect. */
export function atticOf(attic: readonly AtticEntry[], dialect: DialectName): AtticOf | undefined {
  const base = attic.find((entry): entry is AtticBase => entry.dialect === dialect && !isUnit(entry));
  if (base === undefined) return undefined;
  const units = attic.filter((entry): entry is AtticUnit => entry.dialect === dialect && isUnit(entry));
  return { base, units: [...units].sort((one, other) => one.from - other.from) };
}

export function atticDialects(attic: readonly AtticEntry[]): readonly DialectName[] {
  return [...new Set(attic.filter((entry) => !isUnit(entry)).map((entry) => entry.dialect))];
}

export interface Stored {
  readonly base: Omit<AtticBase, "upto">;
  /** The native messages of that dialect, and how they align with the present list. */
  readonly originals: readonly JsonObject[];
  readonly alignment: Alignment;
  /** Whether what stands in front is kept in any case: there is system text beside the present list, and it may grow. */
  readonly keepsHead: boolean;
  /** What the present list converts back to, without an attic, and how it aligns. */
  readonly back: readonly JsonObject[];
  readonly backAlignment: Alignment;
}

/** The entries for one dialect: its base, and a unit wherever the way back alone would differ. */
export function storeInAttic(stored: Stored): readonly AtticEntry[] {
  const { base, originals, alignment, keepsHead, back } = stored;
  const entries: AtticEntry[] = [{ ...base, upto: alignment.at(-1)?.[1] ?? 0 }];
  const cuts = new Cuts(stored.backAlignment);
  let [left, from, converted] = [0, 0, 0];
  for (const [leftTo, to] of alignment) {
    // Cut only where the way back can be cut as well.
    const convertedTo = cuts.at(to);
    if (convertedTo === undefined || (leftTo === left && to === from)) continue;
    const isKept = keepsHead && left === 0;
    if (isKept || !areSame(originals, left, leftTo, back, converted, convertedTo)) {
      entries.push({ dialect: base.dialect, from, to, messages: originals.slice(left, leftTo) });
    }
    [left, from, converted] = [leftTo, to, convertedTo];
  }
  return entries;
}

function areSame(
  one: readonly JsonObject[],
  from: number,
  to: number,
  other: readonly JsonObject[],
  otherFrom: number,
  otherTo: number,
): boolean {
  if (to - from !== otherTo - otherFrom) return false;
  for (let at = from; at < to; at++) if (!isSame(one[at], other[otherFrom + at - from])) return false;
  return true;
}

/** Byte for byte when written, the order of keys included; nothing is written for it. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && areSameLists(one, other);
  }
  return areSameObjects(one as JsonObject, other as JsonObject);
}

function areSameLists(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (!isSame(one[at], other[at])) return false;
  return true;
}

function areSameObjects(one: JsonObject, other: JsonObject): boolean {
  const keys = Object.keys(one);
  const otherKeys = Object.keys(other);
  if (keys.length !== otherKeys.length) return false;
  for (const [at, key] of keys.entries()) {
    if (key !== otherKeys[at] || !isSame(one[key], other[key])) return false;
  }
  return true;
}

export interface Spliced {
  readonly messages: readonly JsonObject[];
  /** From the present list to the spliced one. */
  readonly alignment: Alignment;
}

/**
 * The converted list with the attic's messages in the place of what was converted from their stand-ins. `at`: where the
 * converted list is cut for a place of the present one, wherever both can be.
 */
export function spliceFromAttic(
  converted: readonly JsonObject[],
  alignment: Alignment,
  at: ReadonlyMap<number, number>,
  units: readonly AtticUnit[],
): Spliced {
  const messages: JsonObject[] = [];
  const pairs: (readonly [number, number])[] = [[0, 0]];
  let place = 0;
  let next = 0;
  const copyUpTo = (end: number): void => {
    const [first, last] = [at.get(place) ?? 0, at.get(end) ?? converted.length];
    const offset = messages.length - first;
    for (let index = first; index < last; index++) messages.push(converted[index] as JsonObject);
    for (let pair = alignment[next]; pair !== undefined && pair[0] <= end; pair = alignment[++next]) {
      if (pair[0] > place) pairs.push([pair[0], pair[1] + offset]);
    }
    place = end;
  };
  for (const unit of units) {
    if (!at.has(unit.from) || !at.has(unit.to) || unit.from < place || unit.to < unit.from) continue;
    copyUpTo(unit.from);
    append(messages, unit.messages);
    place = unit.to;
    pairs.push([unit.to, messages.length]);
  }
  const end = alignment.at(-1)?.[0] ?? 0;
  copyUpTo(end);
  pairs.push([end, messages.length]);
  return { messages, alignment: pairs };
}
