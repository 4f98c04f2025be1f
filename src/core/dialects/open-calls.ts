/** The calls of a round, and which of them still wait for their results. */
import type { PivotCall, PivotResult, RepairedCall } from "./pivot.js";

export interface OpenCall {
  readonly place: number;
  readonly call: PivotCall;
  readonly repaired: RepairedCall;
  result: PivotResult | undefined;
}

/** Up to here, looking through all calls costs less than an index. */
const SMALL = 8;

/** First come, first served; a round of any size pairs in one pass. */
export class OpenCalls {
  readonly all: OpenCall[] = [];
  waiting = 0;
  #index: CallIndex | undefined;

  add(call: PivotCall, repaired: RepairedCall): void {
    const open: OpenCall = { place: this.all.length, call, repaired, result: undefined };
    this.all.push(open);
    this.waiting += 1;
    if (this.#index !== undefined) this.#index.add(open);
    else if (this.all.length > SMALL) this.#index = new CallIndex(this.all);
  }

  /** The first waiting call that the result answers: by id; where either side has none, by name, and then by order alone. */
  answeredBy(result: PivotResult): OpenCall | undefined {
    if (this.#index !== undefined) return this.#index.answeredBy(result);
    for (const open of this.all) if (open.result === undefined && matches(open.call, result)) return open;
    return undefined;
  }

  settle(open: OpenCall, result: PivotResult): void {
    open.result = result;
    this.waiting -= 1;
  }
}

function matches(call: PivotCall, result: PivotResult): boolean {
  if (call.id !== null && result.callId !== null) return call.id === result.callId;
  return result.name === undefined || result.name === call.name;
}

/** Finds what `matches` would find first. */
class CallIndex {
  readonly #inOrder = new Waiting();
  readonly #byId = new Map<string, Waiting>();
  readonly #byName = new Map<string, Waiting>();
  readonly #withoutId = new Waiting();
  readonly #withoutIdByName = new Map<string, Waiting>();

  constructor(calls: readonly OpenCall[]) {
    for (const open of calls) this.add(open);
  }

  add(open: OpenCall): void {
    const { id, name } = open.call;
    this.#inOrder.add(open);
    listIn(this.#byName, name).add(open);
    if (id !== null) listIn(this.#byId, id).add(open);
    else {
      this.#withoutId.add(open);
      listIn(this.#withoutIdByName, name).add(open);
    }
  }

  answeredBy({ callId, name }: PivotResult): OpenCall | undefined {
    if (callId === null) {
      return name === undefined ? this.#inOrder.first() : this.#byName.get(name)?.first();
    }
    const byId = this.#byId.get(callId)?.first();
    const other = name === undefined ? this.#withoutId.first() : this.#withoutIdByName.get(name)?.first();
    if (byId === undefined || other === undefined) return byId ?? other;
    return byId.place < other.place ? byId : other;
  }
}

/** Waiting calls in order. Those that were answered are passed over. */
class Waiting {
  readonly #calls: OpenCall[] = [];
  #next = 0;

  add(call: OpenCall): void {
    this.#calls.push(call);
  }

  first(): OpenCall | undefined {
    let call = this.#calls[this.#next];
    while (call?.result !== undefined) {
      this.#next += 1;
      call = this.#calls[this.#next];
    }
    return call;
  }
}

function listIn(lists: Map<string, Waiting>, key: string): Waiting {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list = new Waiting();
  lists.set(key, list);
  return list;
}
