/** Results of which Gemini's history has more to come, found by the call that they answer. */
import type { PivotResult } from "../pivot.js";
import type { ReadResponse } from "./read-place.js";

/** What is known of a result that goes on. */
export interface Continuing extends Pick<PivotResult, "callId"> {
  readonly name: string | undefined;
}

/** However many there are at a time, each is found in a few steps. */
export class ContinuingResults<Result extends Continuing> {
  readonly #order = new Map<Result, number>();
  readonly #byId = new Map<string, Set<Result>>();
  readonly #byName = new Map<string | null, Set<Result>>();
  readonly #withoutIdByName = new Map<string | null, Set<Result>>();
  #next = 0;

  get size(): number {
    return this.#order.size;
  }

  inOrder(): Iterable<Result> {
    return this.#order.keys();
  }

  add(result: Result): void {
    this.#order.set(result, this.#next++);
    for (const set of this.#setsOf(result)) set.add(result);
  }

  remove(result: Result): void {
    this.#order.delete(result);
    for (const set of this.#setsOf(result)) set.delete(result);
  }

  /** The first that the response goes on with: by id; where either side has none, by name. */
  of({ id, name }: ReadResponse): Result | undefined {
    if (this.#order.size === 0) return undefined;
    if (id === null) return first(this.#byName.get(name));
    const byId = first(this.#byId.get(id));
    const byName = first(this.#withoutIdByName.get(name));
    if (byId === undefined || byName === undefined) return byId ?? byName;
    return this.#placeOf(byId) < this.#placeOf(byName) ? byId : byName;
  }

  #placeOf(result: Result): number {
    return this.#order.get(result) ?? 0;
  }

  #setsOf(result: Result): readonly Set<Result>[] {
    const { callId, name = null } = result;
    const byName = setIn(this.#byName, name);
    return callId === null
      ? [byName, setIn(this.#withoutIdByName, name)]
      : [byName, setIn(this.#byId, callId)];
  }
}

function first<T>(set: Set<T> | undefined): T | undefined {
  return set?.values().next().value;
}

function setIn<Key, T>(sets: Map<Key, Set<T>>, key: Key): Set<T> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const made = new Set<T>();
  sets.set(key, made);
  return made;
}
