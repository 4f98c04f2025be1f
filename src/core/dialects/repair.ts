/**
 * The repair pass between reader and writer: calls and results paired, ids and names made valid, rounds made whole.
 * Neutral of any provider; what it cannot mend is one of the three refusals.
 */

import type { ConversionReportEntry } from "../envelope/envelope.js";
import { SessionCompatibilityError } from "../errors/errors.js";
import { append } from "./append.js";
import { CallIds, ToolNames } from "./call-ids.js";
import type {
  CallIdRule,
  Origin,
  PivotAssistant,
  PivotCall,
  PivotEntry,
  PivotPart,
  PivotResult,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
} from "./pivot.js";
import { added, changed, moved, rekeyed } from "./report.js";

export interface RepairedHistory {
  readonly entries: readonly RepairedEntry[];
  readonly report: readonly ConversionReportEntry[];
}

/** Stands for a call that was never answered, so that the rest of the history stays usable. */
export const NO_RESULT = "[no result recorded]";

/** Ids that entries from a place of the source on must not take. */
export interface ReservedIds {
  readonly from: number;
  readonly ids: readonly string[];
}

/** @throws SessionCompatibilityError for a result without a call, and for a history that ends inside a tool round. */
export function repairHistory(
  entries: readonly PivotEntry[],
  rule: CallIdRule,
  reserved?: ReservedIds,
): RepairedHistory {
  const pass = new RepairPass(entries, rule, reserved);
  return pass.run();
}

const JOINS_CALL = "assistant text joins the calling turn, before the call";

interface OpenCall {
  readonly call: PivotCall;
  readonly repaired: RepairedCall;
  result: PivotResult | undefined;
}

class RepairPass {
  readonly #entries: readonly PivotEntry[];
  readonly #ids: CallIds;
  readonly #names: ToolNames;
  #reserved: ReservedIds | undefined;
  readonly #out: RepairedEntry[] = [];
  readonly #report: ConversionReportEntry[] = [];
  #at = 0;

  constructor(entries: readonly PivotEntry[], rule: CallIdRule, reserved: ReservedIds | undefined) {
    this.#entries = entries;
    this.#reserved = reserved;
    this.#ids = new CallIds(rule);
    this.#names = new ToolNames(rule);
  }

  run(): RepairedHistory {
    while (this.#at < this.#entries.length) {
      const entry = this.#entries[this.#at++];
      if (entry === undefined) break;
      this.#reserveFrom(entry.origin.index);
      if (entry.kind === "results") throw orphan(entry.results[0], entry.origin);
      if (entry.kind === "assistant" && callsOf(entry).length > 0) this.#round(entry);
      else this.#out.push(entry as RepairedEntry);
    }
    return { entries: this.#out, report: this.#report };
  }

  #reserveFrom(index: number): void {
    if (this.#reserved === undefined || index < this.#reserved.from) return;
    this.#ids.reserve(this.#reserved.ids);
    this.#reserved = undefined;
  }

  /** One assistant turn with calls, and everything up to the last of its results. */
  #round(entry: PivotAssistant): void {
    const open: OpenCall[] = [];
    let parts = this.#textFirst(this.#opened(entry.parts, open));
    let results = entry.origin;
    const after: RepairedEntry[] = [];
    while (this.#at < this.#entries.length && open.some(({ result }) => result === undefined)) {
      const next = this.#entries[this.#at];
      if (next === undefined) break;
      if (next.kind === "results") {
        if (
          open.every(
            ({ result }) => result !== undefined || next.results.every((found) => !answers(found, open)),
          )
        )
          break;
        results = next.origin;
        for (const result of next.results) settle(open, result);
      } else if (!this.#isAnsweredLater(open)) {
        break;
      } else if (next.kind === "assistant") {
        this.#report.push(moved("order", next.origin, JOINS_CALL));
        parts = joined(parts, this.#opened(next.parts, open));
      } else {
        this.#report.push(moved("order", next.origin, "after the results"));
        after.push(next);
      }
      this.#at++;
    }
    if (this.#at >= this.#entries.length) assertAnswered(open);
    this.#out.push({ ...entry, parts });
    this.#out.push({ kind: "results", origin: results, results: open.map((call) => this.#answer(call)) });
    append(this.#out, after);
  }

  /** The parts with their calls repaired; each call is open from now on. */
  #opened(parts: PivotAssistant["parts"], open: OpenCall[]): readonly (PivotPart | RepairedCall)[] {
    return parts.map((part) => {
      if (part.kind !== "call") return part;
      const repaired = this.#repaired(part);
      open.push({ call: part, repaired, result: undefined });
      return repaired;
    });
  }

  /** Text of a later message than the call's joins the turn before the calls; inside one message the order stays. */
  #textFirst(parts: readonly (PivotPart | RepairedCall)[]): readonly (PivotPart | RepairedCall)[] {
    const firstCall = parts.findIndex(({ kind }) => kind === "call");
    const called = parts[firstCall]?.origin.index;
    const late = parts.filter(
      (part, at) => at > firstCall && part.kind !== "call" && part.origin.index !== called,
    );
    if (late.length === 0) return parts;
    for (const { origin } of late) this.#report.push(moved("order", origin, JOINS_CALL));
    const kept = parts.filter((part) => !late.includes(part as PivotPart));
    return [...kept.slice(0, firstCall), ...late, ...kept.slice(firstCall)];
  }

  #repaired(call: PivotCall): RepairedCall {
    const id = this.#ids.assign(call.id, call.name);
    const name = this.#names.assign(call.name);
    if (id !== call.id) this.#report.push(rekeyed(call.origin, `${call.id ?? "(no id)"} -> ${id}`));
    if (name !== call.name) this.#report.push(changed("tool-name", call.origin, `${call.name} -> ${name}`));
    return { ...call, id, name };
  }

  /** Whether a result for one of the open calls comes before another call takes its id. */
  #isAnsweredLater(open: readonly OpenCall[]): boolean {
    const waiting = open.filter(({ result }) => result === undefined).map(({ call }) => call);
    for (let at = this.#at; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry?.kind === "results")
        return entry.results.some((result) => waiting.some((call) => matches(call, result)));
      if (entry?.kind !== "assistant") continue;
      if (callsOf(entry).some(({ id }) => id === null || waiting.some((call) => call.id === id)))
        return false;
    }
    return false;
  }

  #answer({ call, repaired, result }: OpenCall): RepairedResult {
    if (result !== undefined) return { ...result, callId: repaired.id, name: repaired.name };
    this.#report.push(
      added("tool-result", call.origin, `${repaired.id}: synthetic, the call was never answered`),
    );
    const text: PivotPart = { kind: "text", text: NO_RESULT, origin: call.origin };
    return { origin: call.origin, callId: repaired.id, name: repaired.name, parts: [text], isError: true };
  }
}

function callsOf(entry: PivotAssistant): readonly PivotCall[] {
  return entry.parts.filter((part) => part.kind === "call");
}

/** Text goes before the calls, further calls after them. */
function joined(
  parts: readonly (PivotPart | RepairedCall)[],
  more: readonly (PivotPart | RepairedCall)[],
): readonly (PivotPart | RepairedCall)[] {
  const isCall = (part: PivotPart | RepairedCall): boolean => part.kind === "call";
  const firstCall = parts.findIndex(isCall);
  const texts = more.filter((part) => !isCall(part));
  return [...parts.slice(0, firstCall), ...texts, ...parts.slice(firstCall), ...more.filter(isCall)];
}

/** By id; where the source has none, by name, and then by order alone. */
function matches(call: PivotCall, result: PivotResult): boolean {
  if (call.id !== null && result.callId !== null) return call.id === result.callId;
  return result.name === undefined || result.name === call.name;
}

function answers(result: PivotResult, open: readonly OpenCall[]): boolean {
  return open.some((candidate) => candidate.result === undefined && matches(candidate.call, result));
}

/** First come, first served: equal ids of one round pair in order. */
function settle(open: readonly OpenCall[], result: PivotResult): void {
  const call = open.find((candidate) => candidate.result === undefined && matches(candidate.call, result));
  if (call === undefined) throw orphan(result, result.origin);
  call.result = result;
}

function assertAnswered(open: readonly OpenCall[]): void {
  const unanswered = open.find(({ result }) => result === undefined);
  if (unanswered === undefined) return;
  const { id, name, origin } = unanswered.call;
  throw new SessionCompatibilityError(
    `The history ends inside a tool round: the call ${id ?? name} (${name}) at ${placeOf(origin)} has no result. Continue it under its own provider, or take the part before that turn with \`holdfast fork --at\`.`,
  );
}

function orphan(result: PivotResult | undefined, origin: Origin): SessionCompatibilityError {
  const id = result?.callId ?? result?.name ?? "without an id";
  return new SessionCompatibilityError(
    `A result without a call: ${id} at ${placeOf(result?.origin ?? origin)} answers nothing before it. Take the part before that turn with \`holdfast fork --at\`.`,
  );
}

function placeOf({ index, path }: Origin): string {
  return path === "" ? `message ${index}` : `message ${index}, ${path}`;
}
