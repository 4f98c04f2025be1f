/** The calls of a round, and which of them still wait for their results. */
import type { PivotCall, PivotResult } from "./pivot.js";

/** What a result says of the call that it answers. */
export interface Answer extends Pick<PivotResult, "callId"> {
  readonly name?: string | undefined;
}

export interface OpenCall<Kept, Result> {
  readonly place: number;
  readonly call: PivotCall;
  /** What the caller wants to know of it later. */
  readonly kept: Kept;
  result: Result | undefined;
}

/** Up to here, looking through all calls costs less than an index. */
const SMALL = 8;

/** First come, first served; a round of any size pairs in one pass. */
export class OpenCalls<Kept, Result extends Answer> {
  readonly all: OpenCall<Kept, Result>[] = [];
  waiting = 0;
  #index: CallIndex<OpenCall<Kept, Result>> | undefined;

  add(call: PivotCall, kept: Kept): void {
    const open: OpenCall<Kept, Result> = { place: this.all.length, call, kept, result: undefined };
    this.all.push(open);
    this.waiting += 1;
    if (this.#index !== undefined) this.#index.add(open);
    else if (this.all.length > SMALL) this.#index = new CallIndex(this.all);
  }

  /** The first waiting call that the result answers: by id; where either side has none, by name, and then by order alone. */
  answeredBy(result: Answer): OpenCall<Kept, Result> | undefined {
    if (this.#index !== undefined) return this.#index.answeredBy(result);
    for (const open of this.all) if (open.result === undefined && matches(open.call, result)) return open;
    return undefined;
  }

  settle(open: OpenCall<Kept, Result>, result: Result): void {
    open.result = result;
    this.waiting -= 1;
  }
}

function matches(call: PivotCall, result: Answer): boolean {
  if (call.id !== null && result.callId !== null) return call.id === result.callId;
  return result.name === undefined || result.name === call.name;
}

/** Finds what `matches` would find first. */
type Open = Pick<OpenCall<unknown, unknown>, "place" | "call" | "result">;

class CallIndex<Call extends Open> {
  readonly #inOrder = new Waiting<Call>();
  readonly #byId = new Map<string, Waiting<Call>>();
  readonly #byName = new Map<string, Waiting<Call>>();
  readonly #withoutId = new Waiting<Call>();
  readonly #withoutIdByName = new Map<string, Waiting<Call>>();

  constructor(calls: readonly Call[]) {
    for (const open of calls) this.add(open);
  }

  add(open: Call): void {
    const { id, name } = open.call;
    this.#inOrder.add(open);
    listIn(this.#byName, name).add(open);
    if (id !== null) listIn(this.#byId, id).add(open);
    else {
      this.#withoutId.add(open);
      listIn(this.#withoutIdByName, name).add(open);
    }
  }

  answeredBy({ callId, name }: Answer): Call | undefined {
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
class Waiting<Call extends Open> {
  readonly #calls: Call[] = [];
  #next = 0;

  add(call: Call): void {
    this.#calls.push(call);
  }

  first(): Call | undefined {
    let call = this.#calls[this.#next];
    while (call?.result !== undefined) {
      this.#next += 1;
      call = this.#calls[this.#next];
    }
    return call;
  }
}

function listIn<Call extends Open>(lists: Map<string, Waiting<Call>>, key: string): Waiting<Call> {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list = new Waiting<Call>();
  lists.set(key, list);
  return list;
}
