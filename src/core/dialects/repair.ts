/**
 * The repair pass between reader and writer: calls and results paired, ids and names made valid, rounds made whole.
 * Neutral of any provider; what it cannot mend is one of the three refusals.
 */

import type { ConversionReportEntry } from "../envelope/envelope.js";
import { SessionCompatibilityError } from "../errors/errors.js";
import { append } from "./append.js";
import { CallIds, ToolNames } from "./call-ids.js";
import { LaterAnswers } from "./later-answers.js";
import { type OpenCall, OpenCalls } from "./open-calls.js";
import type {
  CallIdRule,
  Origin,
  PivotAssistant,
  PivotCall,
  PivotEntry,
  PivotPart,
  PivotResult,
  RepairedAssistant,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
} from "./pivot.js";
import { added, changed, moved, rekeyed, wrapped } from "./report.js";

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
  return new HistoryRepair(rule, reserved).repair(entries);
}

/** Repairs a history in pieces that follow each other: ids are unique over all of them. */
export class HistoryRepair {
  readonly #ids: CallIds;
  readonly #names: ToolNames;
  readonly #takesCustom: boolean;
  #reserved: ReservedIds | undefined;

  constructor(rule: CallIdRule, reserved: ReservedIds | undefined) {
    this.#takesCustom = rule.takesCustom === true;
    this.#ids = new CallIds(rule);
    this.#names = new ToolNames(rule);
    this.#reserved = reserved;
  }

  /**
   * The last piece.
   *
   * @throws SessionCompatibilityError as `repairHistory` does.
   */
  repair(entries: readonly PivotEntry[]): RepairedHistory;
  /** Undefined for a piece that is not the last one and is not whole in itself: calls without results, results without calls. */
  repair(entries: readonly PivotEntry[], isLast: boolean): RepairedHistory | undefined;
  repair(entries: readonly PivotEntry[], isLast = true): RepairedHistory | undefined {
    if (!isLast && !isEven(entries)) return undefined;
    const making: Making = {
      ids: this.#ids,
      names: this.#names,
      takesCustom: this.#takesCustom,
      reserveFrom: (index) => this.#reserveFrom(index),
    };
    return new RepairPass(entries, making).run();
  }

  #reserveFrom(index: number): void {
    if (this.#reserved === undefined || index < this.#reserved.from) return;
    this.#ids.reserve(this.#reserved.ids);
    this.#reserved = undefined;
  }
}

/** Whether each round is answered at once and in full, as in nearly all histories. */
function isEven(entries: readonly PivotEntry[]): boolean {
  let calls: readonly PivotCall[] = [];
  for (const entry of entries) {
    if (entry.kind === "results") {
      if (!answersEach(calls, entry.results)) return false;
      calls = [];
      continue;
    }
    if (calls.length > 0) return false;
    if (entry.kind === "assistant" && isCalling(entry))
      calls = entry.parts.filter((part) => part.kind === "call");
  }
  return calls.length === 0;
}

function answersEach(calls: readonly PivotCall[], results: readonly PivotResult[]): boolean {
  if (calls.length === 0 || calls.length !== results.length) return false;
  const open = new OpenCalls<null, PivotResult>();
  for (const call of calls) open.add(call, null);
  for (const result of results) {
    const answered = open.answeredBy(result);
    if (answered === undefined) return false;
    open.settle(answered, result);
  }
  return true;
}

type Round = OpenCalls<RepairedCall, PivotResult>;

const JOINS_CALL = "assistant text joins the calling turn, before the call";

/** What all pieces of a history share. */
interface Making {
  readonly ids: CallIds;
  readonly names: ToolNames;
  readonly takesCustom: boolean;
  reserveFrom(index: number): void;
}

class RepairPass {
  readonly #entries: readonly PivotEntry[];
  readonly #making: Making;
  readonly #out: RepairedEntry[] = [];
  readonly #report: ConversionReportEntry[] = [];
  #ahead: LaterAnswers | undefined;
  #at = 0;

  constructor(entries: readonly PivotEntry[], making: Making) {
    this.#entries = entries;
    this.#making = making;
  }

  run(): RepairedHistory {
    while (this.#at < this.#entries.length) {
      const entry = this.#entries[this.#at++];
      if (entry === undefined) break;
      this.#making.reserveFrom(entry.origin.index);
      if (entry.kind === "results") throw orphan(entry.results[0], entry.origin);
      if (entry.kind === "assistant" && isCalling(entry)) this.#round(entry);
      else this.#out.push(entry as RepairedEntry);
    }
    return { entries: this.#out, report: this.#report };
  }

  /** One assistant turn with calls, and everything up to the last of its results. */
  #round(entry: PivotAssistant): void {
    const open = new OpenCalls<RepairedCall, PivotResult>();
    const parts = this.#textFirst(this.#opened(entry.parts, open));
    const texts: PivotPart[] = [];
    const calls: RepairedCall[] = [];
    const after: RepairedEntry[] = [];
    let results = entry.origin;
    while (open.waiting > 0) {
      const next = this.#entries[this.#at];
      if (next === undefined) break;
      if (next.kind === "results") {
        if (next.results.every((result) => open.answeredBy(result) === undefined)) break;
        results = next.origin;
        for (const result of next.results) settle(open, result);
      } else if (!this.#isAnsweredLater(open)) {
        break;
      } else if (next.kind === "assistant") {
        this.#report.push(moved("order", next.origin, JOINS_CALL));
        for (const part of this.#opened(next.parts, open)) {
          if (part.kind === "call") calls.push(part);
          else texts.push(part);
        }
      } else {
        this.#report.push(moved("order", next.origin, "after the results"));
        after.push(next);
      }
      this.#at++;
    }
    if (this.#at >= this.#entries.length) assertAnswered(open);
    this.#out.push({ kind: "assistant", origin: entry.origin, parts: joined(parts, texts, calls) });
    this.#out.push({
      kind: "results",
      origin: results,
      results: open.all.map((call) => this.#answer(call)),
    });
    append(this.#out, after);
  }

  /** The parts with their calls repaired; each call is open from now on. */
  #opened(parts: PivotAssistant["parts"], open: Round): readonly (PivotPart | RepairedCall)[] {
    let changed: (PivotPart | RepairedCall)[] | undefined;
    for (const [at, part] of parts.entries()) {
      if (part.kind !== "call") {
        changed?.push(part);
        continue;
      }
      const repaired = this.#repaired(part);
      open.add(part, repaired);
      if (repaired !== part) changed ??= parts.slice(0, at) as RepairedAssistant["parts"][number][];
      changed?.push(repaired);
    }
    return changed ?? (parts as RepairedAssistant["parts"]);
  }

  /** Text of a later message than the call's joins the turn before the calls; inside one message the order stays. */
  #textFirst(parts: readonly (PivotPart | RepairedCall)[]): readonly (PivotPart | RepairedCall)[] {
    const firstCall = parts.findIndex(({ kind }) => kind === "call");
    const called = parts[firstCall]?.origin.index;
    const isLate = (part: PivotPart | RepairedCall, at: number): boolean =>
      at > firstCall && part.kind !== "call" && part.origin.index !== called;
    if (!parts.some(isLate)) return parts;
    const late = parts.filter(isLate);
    for (const { origin } of late) this.#report.push(moved("order", origin, JOINS_CALL));
    const kept = parts.filter((part, at) => !isLate(part, at));
    return [...kept.slice(0, firstCall), ...late, ...kept.slice(firstCall)];
  }

  #repaired(call: PivotCall): RepairedCall {
    const { ids, names, takesCustom } = this.#making;
    const id = ids.assign(call.id, call.name);
    const name = names.assign(call.name);
    if (call.custom !== undefined && !takesCustom)
      this.#report.push(wrapped(call.origin, `${call.id ?? call.name}: free-form input kept under input`));
    if (id !== call.id) this.#report.push(rekeyed(call.origin, `${call.id ?? "(no id)"} -> ${id}`));
    if (name !== call.name) this.#report.push(changed("tool-name", call.origin, `${call.name} -> ${name}`));
    return id === call.id && name === call.name ? (call as RepairedCall) : { ...call, id, name };
  }

  /** Made where it is needed first: most rounds are answered at once. */
  #isAnsweredLater(open: Round): boolean {
    this.#ahead ??= new LaterAnswers(this.#entries);
    return this.#ahead.isAnswered(open, this.#at);
  }

  #answer({ call, kept: repaired, result }: OpenCall<RepairedCall, PivotResult>): RepairedResult {
    const custom = repaired.custom !== undefined && this.#making.takesCustom;
    if (result !== undefined) return answering(result, repaired, custom);
    this.#report.push(
      added("tool-result", call.origin, `${repaired.id}: synthetic, the call was never answered`),
    );
    const text: PivotPart = { kind: "text", text: NO_RESULT, origin: call.origin };
    const { id: callId, name } = repaired;
    const made = { origin: call.origin, callId, name, parts: [text], isError: true };
    return custom ? { ...made, custom } : made;
  }
}

function answering(result: PivotResult, { id, name }: RepairedCall, custom: boolean): RepairedResult {
  if (!custom && result.callId === id && result.name === name) return result as RepairedResult;
  const { origin, parts, isError } = result;
  const answer = { origin, callId: id, name, parts, isError };
  return custom ? { ...answer, custom } : answer;
}

function isCalling(entry: PivotAssistant): boolean {
  return entry.parts.some(({ kind }) => kind === "call");
}

/** Texts of later messages go before the calls, further calls after them. */
function joined(
  parts: readonly (PivotPart | RepairedCall)[],
  texts: readonly PivotPart[],
  more: readonly RepairedCall[],
): readonly (PivotPart | RepairedCall)[] {
  if (texts.length === 0 && more.length === 0) return parts;
  const firstCall = parts.findIndex(({ kind }) => kind === "call");
  return [...parts.slice(0, firstCall), ...texts, ...parts.slice(firstCall), ...more];
}

/** Equal ids of one round pair in order. */
function settle(open: Round, result: PivotResult): void {
  const call = open.answeredBy(result);
  if (call === undefined) throw orphan(result, result.origin);
  open.settle(call, result);
}

function assertAnswered(open: Round): void {
  const unanswered = open.all.find(({ result }) => result === undefined);
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
