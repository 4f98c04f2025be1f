/** What the simulator saw of each call: the test's eye on retries, cancels and bytes. */
import type { JsonValue } from "../core/json.js";
import type { WireName } from "./wire.js";
import type { WireIssue } from "./wire-issue.js";

export interface CallRecord {
  /** 1 for the first call since the start or the last reset. */
  readonly id: number;
  readonly wire: WireName;
  readonly method: string;
  readonly path: string;
  readonly model: string | null;
  readonly stream: boolean;
  /** It asks a model for an answer; other calls are those to the Files API, token counts and unknown paths. */
  readonly generation: boolean;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The parsed request; null where it was not JSON, bodies are not kept, or 128 MiB of later ones are. */
  readonly body: JsonValue;
  readonly lastUserText: string;
  /** What the validator found; the call was refused when there is anything. */
  readonly issues: readonly WireIssue[];
  /** Null until the headers are sent. */
  readonly status: number | null;
  readonly chunksSent: number;
  /** Bytes of the reply's body handed to the socket. */
  readonly bytesSent: number;
  /** Bytes of what was still written after the client had gone: never more than one event. */
  readonly bytesSentAfterClose: number;
  /** The client closed the socket before the reply was whole. */
  readonly clientClosed: boolean;
  /** The simulator ended the reply as it meant to: an error, or the cut of a fault, is such an end. */
  readonly finished: boolean;
  readonly endedAt: number | null;
}

export type MutableCallRecord = { -readonly [Key in keyof CallRecord]: CallRecord[Key] };

/** Of the calls that ask a model for an answer; of the others only their number. */
export interface CallCounters {
  readonly calls: number;
  readonly otherCalls: number;
  /** Neither finished nor closed. */
  readonly open: number;
  readonly finished: number;
  readonly clientClosed: number;
  readonly bytesSent: number;
  readonly bytesSentAfterClose: number;
  readonly byWire: Readonly<Partial<Record<WireName, number>>>;
}

export interface WaitOptions {
  /** 10,000 when absent. */
  readonly timeoutMs?: number;
}

interface Waiter {
  readonly predicate: (call: CallRecord) => boolean;
  readonly resolve: (call: CallRecord) => void;
}

/** Of the requests that are kept, as they came over the wire: a long demonstration must not fill the memory. */
const MAXIMUM_BODY_BYTES = 128 * 1024 * 1024;

export class CallLog {
  #records: MutableCallRecord[] = [];
  readonly #waiters = new Set<Waiter>();
  #nextId = 1;
  #bodies: { readonly record: MutableCallRecord; readonly bytes: number }[] = [];
  #bodyBytes = 0;

  get records(): readonly CallRecord[] {
    return this.#records;
  }

  open(wire: WireName, method: string, path: string, generation: boolean): MutableCallRecord {
    const record: MutableCallRecord = {
      id: this.#nextId++,
      wire,
      method,
      path,
      model: null,
      stream: false,
      generation,
      receivedAt: Date.now(),
      body: null,
      lastUserText: "",
      issues: [],
      status: null,
      chunksSent: 0,
      bytesSent: 0,
      bytesSentAfterClose: 0,
      clientClosed: false,
      finished: false,
      endedAt: null,
    };
    this.#records.push(record);
    return record;
  }

  /** Puts the parsed request into the record, and gives up the oldest ones beyond the limit. */
  keepBody(record: MutableCallRecord, body: JsonValue, bytes: number): void {
    record.body = body;
    this.#bodies.push({ record, bytes });
    this.#bodyBytes += bytes;
    while (this.#bodyBytes > MAXIMUM_BODY_BYTES && this.#bodies.length > 1) {
      const oldest = this.#bodies.shift();
      if (oldest === undefined) return;
      oldest.record.body = null;
      this.#bodyBytes -= oldest.bytes;
    }
  }

  /** Tells those who wait that a record has changed. */
  changed(record: CallRecord): void {
    for (const waiter of [...this.#waiters]) {
      if (!waiter.predicate(record)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(record);
    }
  }

  /** Resolves with the first call, past or to come, for which the predicate holds. Rejects at the time-out. */
  waitFor(predicate: (call: CallRecord) => boolean, options: WaitOptions = {}): Promise<CallRecord> {
    const present = this.#records.find(predicate);
    if (present !== undefined) return Promise.resolve(present);
    const timeoutMs = options.timeoutMs ?? 10_000;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        predicate,
        resolve: (call) => {
          clearTimeout(timer);
          resolve(call);
        },
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new Error(`No such call reached the simulator within ${timeoutMs} ms.`));
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  counters(): CallCounters {
    const byWire: Partial<Record<WireName, number>> = {};
    const generations = this.#records.filter(({ generation }) => generation);
    for (const { wire } of generations) byWire[wire] = (byWire[wire] ?? 0) + 1;
    const sum = (value: (call: CallRecord) => number) =>
      generations.reduce((total, call) => total + value(call), 0);
    return {
      calls: generations.length,
      otherCalls: this.#records.length - generations.length,
      open: sum((call) => (call.endedAt === null ? 1 : 0)),
      finished: sum((call) => (call.finished ? 1 : 0)),
      clientClosed: sum((call) => (call.clientClosed ? 1 : 0)),
      bytesSent: sum((call) => call.bytesSent),
      bytesSentAfterClose: sum((call) => call.bytesSentAfterClose),
      byWire,
    };
  }

  clear(): void {
    this.#records = [];
    this.#bodies = [];
    this.#bodyBytes = 0;
    this.#nextId = 1;
  }
}
