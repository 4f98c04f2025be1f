/** Looks ahead in a history: whether what stands between calls and the next results belongs into their round. */
import type { OpenCalls } from "./open-calls.js";
import type { PivotCall, PivotEntry, PivotResult, RepairedCall } from "./pivot.js";

type Round = OpenCalls<RepairedCall, PivotResult>;

/** Asked in the order of the history; however calls and results are spread, all questions together take one pass. */
export class LaterAnswers {
  readonly #entries: readonly PivotEntry[];
  /** For each place, that of the next results; the list's length where there are none. */
  readonly #nextResults: number[];
  /** Of the calls by id: the places of their entries, and how many of them were passed. */
  readonly #places = new Map<string, Places>();
  readonly #withoutId = new Places();
  readonly #indices = new Map<number, AnswerIndex>();
  #asked: { readonly open: Round; readonly until: number; calls: number } | undefined;

  constructor(entries: readonly PivotEntry[]) {
    this.#entries = entries;
    this.#nextResults = new Array<number>(entries.length + 1).fill(entries.length);
    for (let at = entries.length - 1; at >= 0; at--) {
      this.#nextResults[at] = entries[at]?.kind === "results" ? at : (this.#nextResults[at + 1] ?? at);
    }
    for (const [at, entry] of entries.entries()) {
      if (entry.kind !== "assistant") continue;
      for (const part of entry.parts) if (part.kind === "call") this.#placesOf(part.id).add(at);
    }
  }

  /** Whether a result for one of the open calls comes before another call takes the id of one. */
  isAnswered(open: Round, at: number): boolean {
    const until = this.#nextResults[at] ?? this.#entries.length;
    const asked = this.#asked;
    const again = asked?.open === open && asked.until === until;
    const from = again ? asked.calls : 0;
    this.#asked = { open, until, calls: open.all.length };
    if (!again && !this.#answersAny(open, until)) return false;
    return !this.#withoutId.isWithin(at, until) && !this.#clashes(open, from, at, until);
  }

  #answersAny(open: Round, until: number): boolean {
    const entry = this.#entries[until];
    if (entry?.kind !== "results") return false;
    if (entry.results.length <= open.all.length) {
      return entry.results.some((result) => open.answeredBy(result) !== undefined);
    }
    const index = this.#indices.get(until) ?? new AnswerIndex(entry.results);
    this.#indices.set(until, index);
    return open.all.some(({ call, result }) => result === undefined && index.answers(call));
  }

  #clashes(open: Round, from: number, at: number, until: number): boolean {
    for (let index = from; index < open.all.length; index++) {
      const { call, result } = open.all[index] ?? {};
      const waits = result === undefined && call !== undefined && call.id !== null;
      if (waits && this.#placesOf(call.id).isWithin(at, until)) return true;
    }
    return false;
  }

  #placesOf(id: string | null): Places {
    if (id === null) return this.#withoutId;
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const places = new Places();
    this.#places.set(id, places);
    return places;
  }
}

class Places {
  readonly #places: number[] = [];
  #passed = 0;

  add(place: number): void {
    this.#places.push(place);
  }

  isWithin(from: number, until: number): boolean {
    let next = this.#places[this.#passed];
    while (next !== undefined && next < from) {
      this.#passed += 1;
      next = this.#places[this.#passed];
    }
    return next !== undefined && next < until;
  }
}

/** Which calls the results of one entry could answer. */
class AnswerIndex {
  readonly #ids = new Set<string>();
  readonly #names = new Set<string | undefined>();
  /** Of the results that name no id. */
  readonly #namesWithoutId = new Set<string | undefined>();

  constructor(results: readonly PivotResult[]) {
    for (const { callId, name } of results) {
      this.#names.add(name);
      if (callId === null) this.#namesWithoutId.add(name);
      else this.#ids.add(callId);
    }
  }

  answers({ id, name }: PivotCall): boolean {
    if (id !== null && this.#ids.has(id)) return true;
    const names = id === null ? this.#names : this.#namesWithoutId;
    return names.has(name) || names.has(undefined);
  }
}
