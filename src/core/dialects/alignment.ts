/** Which part of one list stands for which part of another: pairs of places at which both can be cut. */
import type { WrittenMessage } from "./pivot.js";

/** Ascending in both columns, from [0, 0] to [length of the one, length of the other]. */
export type Alignment = readonly (readonly [left: number, right: number])[];

/** Of a source list and what was written from it. A source message that left nothing belongs to the block before it. */
export function alignmentOf(
  written: readonly Pick<WrittenMessage, "from">[],
  sourceCount: number,
): Alignment {
  const firstAfter = firstPlaces(written, sourceCount);
  const pairs: (readonly [number, number])[] = [[0, 0]];
  let lastBefore = -1;
  for (let at = 1; at < written.length; at++) {
    lastBefore = greatest(lastBefore, written[at - 1]?.from ?? []);
    const next = firstAfter[at] ?? sourceCount;
    if (lastBefore < next) pairs.push([next, at]);
  }
  pairs.push([sourceCount, written.length]);
  return pairs;
}

/** For each written message, the first place of the source from which it or anything after it was made. */
function firstPlaces(written: readonly Pick<WrittenMessage, "from">[], sourceCount: number): number[] {
  const first: number[] = new Array<number>(written.length + 1).fill(sourceCount);
  for (let at = written.length - 1; at >= 0; at--) {
    first[at] = least(first[at + 1] ?? sourceCount, written[at]?.from ?? []);
  }
  return first;
}

/** Not spread into `Math.min`: a call takes only so many arguments. */
function least(first: number, others: readonly number[]): number {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

function greatest(first: number, others: readonly number[]): number {
  let found = first;
  for (const other of others) if (other > found) found = other;
  return found;
}

/** Of a list with itself. */
export function identity(count: number): Alignment {
  return Array.from({ length: count + 1 }, (_, place) => [place, place] as const);
}

/** With one cut for each place of the left list; mostly that is so already. */
export function cutOnce(alignment: Alignment, count: number): Alignment {
  const isOnce = alignment.every(([left], at) => at === 0 || left > (alignment[at - 1]?.[0] ?? 0));
  return isOnce ? alignment : composed(identity(count), alignment);
}

/** The other column first. */
export function flipped(alignment: Alignment): Alignment {
  return alignment.map(([left, right]) => [right, left] as const);
}

/**
 * From the left of the one to the right of the other, cut wherever both can be cut at the same place in the middle. Where
 * one of them ends earlier, so does the composition.
 */
export function composed(one: Alignment, other: Alignment): Alignment {
  const rights = new Cuts(other);
  const pairs: (readonly [number, number])[] = [];
  for (const [left, middle] of one) {
    const right = rights.at(middle);
    const before = pairs.at(-1);
    if (right === undefined || (before?.[0] === left && before[1] === right)) continue;
    pairs.push([left, right]);
  }
  return pairs;
}

/**
 * Where the right list is cut for each place at which the left one can be, looked up in ascending order. What was added
 * there belongs to what follows, but at the end to what comes before.
 */
export class Cuts {
  readonly #alignment: Alignment;
  readonly #end: readonly [left: number, right: number];
  #next = 0;

  constructor(alignment: Alignment) {
    this.#alignment = alignment;
    this.#end = alignment.at(-1) ?? [0, 0];
  }

  at(place: number): number | undefined {
    const [end, last] = this.#end;
    if (place === end && end !== 0) return last;
    let pair = this.#alignment[this.#next];
    while (pair !== undefined && pair[0] < place) {
      this.#next += 1;
      pair = this.#alignment[this.#next];
    }
    return pair?.[0] === place ? pair[1] : undefined;
  }
}

/** The same as `Cuts`, for look-ups in any order. */
export function boundaries(alignment: Alignment): ReadonlyMap<number, number> {
  const map = new Map<number, number>();
  for (const [left, right] of alignment) if (!map.has(left)) map.set(left, right);
  const end = alignment.at(-1);
  if (end !== undefined && end[0] !== 0) map.set(end[0], end[1]);
  return map;
}

/** Where the converted list is cut for a place in the source's: turns keep their ranges. */
export function placeAfter(alignment: Alignment): (place: number) => number {
  const at = boundaries(alignment);
  const places = [...at.keys()].sort((one, other) => one - other);
  return (place) => {
    const exact = at.get(place);
    if (exact !== undefined) return exact;
    const before = places.findLast((candidate) => candidate < place) ?? 0;
    return at.get(before) ?? 0;
  };
}

/**
 * Of a source list and what was written from it: where the written list is cut for every place at which both can be, those
 * between source messages that left nothing included.
 */
export function everyCut(
  written: readonly Pick<WrittenMessage, "from">[],
  sourceCount: number,
): ReadonlyMap<number, number> {
  const cuts = new Map(boundaries(alignmentOf(written, sourceCount)));
  const firstAfter = firstPlaces(written, sourceCount);
  let lastBefore = -1;
  for (let at = 0; at <= written.length; at++) {
    if (at > 0) lastBefore = greatest(lastBefore, written[at - 1]?.from ?? []);
    const next = firstAfter[at] ?? sourceCount;
    for (let place = lastBefore + 1; place <= next; place++) if (!cuts.has(place)) cuts.set(place, at);
  }
  return cuts;
}
