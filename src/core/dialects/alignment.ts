/** Which part of one list stands for which part of another: pairs of places at which both can be cut. */
import type { WrittenMessage } from "./pivot.js";

/** Ascending in both columns, from [0, 0] to [length of the one, length of the other]. */
export type Alignment = readonly (readonly [left: number, right: number])[];

/** A pair of ranges, each from its first index to the one after its last. */
export interface Block {
  readonly left: readonly [from: number, to: number];
  readonly right: readonly [from: number, to: number];
}

/** Of a source list and what was written from it. A source message that left nothing belongs to the block before it. */
export function alignmentOf(
  written: readonly Pick<WrittenMessage, "from">[],
  sourceCount: number,
): Alignment {
  const firstAfter: number[] = new Array<number>(written.length + 1).fill(sourceCount);
  for (let at = written.length - 1; at >= 0; at--) {
    firstAfter[at] = Math.min(firstAfter[at + 1] ?? sourceCount, ...(written[at]?.from ?? []));
  }
  const pairs: (readonly [number, number])[] = [[0, 0]];
  let lastBefore = -1;
  for (let at = 1; at < written.length; at++) {
    lastBefore = Math.max(lastBefore, ...(written[at - 1]?.from ?? []));
    const next = firstAfter[at] ?? sourceCount;
    if (lastBefore < next) pairs.push([next, at]);
  }
  pairs.push([sourceCount, written.length]);
  return pairs;
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
  const rights = boundaries(other);
  const pairs = one.flatMap(([left, middle]) => {
    const right = rights.get(middle);
    return right === undefined ? [] : [[left, right] as const];
  });
  return pairs.filter(([left, right], index) => {
    const before = pairs[index - 1];
    return before === undefined || before[0] !== left || before[1] !== right;
  });
}

/** The blocks between the cuts. */
export function blocksOf(alignment: Alignment): readonly Block[] {
  return alignment.slice(1).flatMap(([leftTo, rightTo], index) => {
    const [leftFrom, rightFrom] = alignment[index] ?? [0, 0];
    if (leftFrom === leftTo && rightFrom === rightTo) return [];
    return [{ left: [leftFrom, leftTo], right: [rightFrom, rightTo] } as const];
  });
}

/** Where the right list is cut for each place at which the left one can be; what was added there belongs to what follows. */
export function boundaries(alignment: Alignment): ReadonlyMap<number, number> {
  const map = new Map<number, number>();
  for (const [left, right] of alignment) if (!map.has(left)) map.set(left, right);
  const end = alignment.at(-1);
  if (end !== undefined && end[0] !== 0) map.set(end[0], end[1]);
  return map;
}
