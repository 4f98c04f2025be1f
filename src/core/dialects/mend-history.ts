/**
 * A history as its own service takes it: ids that are used again, blank text and calls that were never answered are mended in the
 * request. The history itself stays as it is. What cannot be mended is named, for whoever restores it.
 */
import type { ConversionReportEntry, NativeMessage } from "../envelope/envelope.js";
import type { HistoryIssue } from "../errors/errors.js";
import type { DialectName } from "../providers.js";
import { append } from "./append.js";
import { CallIds } from "./call-ids.js";
import { CONVERSIONS } from "./conversions.js";
import type { DialectMending, Exchange, PlacedMessage, UnansweredCall } from "./mending.js";
import { MENDINGS } from "./mendings.js";
import { added, rekeyed } from "./report.js";

export interface MendedHistory {
  /** The very same list where nothing was changed. */
  readonly messages: readonly NativeMessage[];
  /** For each message its index in the history; undefined for one that was added. */
  readonly from: readonly (number | undefined)[];
  readonly report: readonly ConversionReportEntry[];
  /** What the service would refuse all the same. */
  readonly issues: readonly HistoryIssue[];
}

export function mendHistory(dialect: DialectName, messages: readonly NativeMessage[]): MendedHistory {
  const mending = MENDINGS[dialect];
  const rule = {
    ...CONVERSIONS[dialect].callIds,
    maxLength: mending.longestId ?? Number.POSITIVE_INFINITY,
  };
  return new Mend(mending, () => new CallIds(rule)).run(messages);
}

interface OpenCall extends UnansweredCall {
  /** Where its message stands in what is made. */
  readonly at: number;
  readonly index: number;
}

const SHOWN_CHARACTERS = 80;

const EXPECTED = "a result whose call stands before it and has no other result";

class Mend {
  readonly #mending: DialectMending;
  readonly #newIds: () => CallIds;
  readonly #out: PlacedMessage[] = [];
  readonly #report: ConversionReportEntry[] = [];
  readonly #issues: HistoryIssue[] = [];
  #open: OpenCall[] = [];
  #ids: CallIds;
  #changed = false;

  constructor(mending: DialectMending, newIds: () => CallIds) {
    this.#mending = mending;
    this.#newIds = newIds;
    this.#ids = newIds();
  }

  run(messages: readonly NativeMessage[]): MendedHistory {
    const { hasReferences } = this.#mending;
    for (const [index, message] of messages.entries()) this.#add(message, index);
    this.#endRound();
    this.#openWithUser();
    const known = hasReferences === undefined || !messages.some((message) => hasReferences(message));
    return {
      messages: this.#changed ? this.#out.map(({ message }) => message) : messages,
      from: this.#out.map(({ from }) => from),
      report: this.#report,
      issues: known ? this.#issues : [],
    };
  }

  #add(message: NativeMessage, index: number): void {
    if (this.#open.length > 0 && this.#mending.endsRound(message, this.#followsCalls())) this.#endRound();
    const tidied = this.#mending.tidy(message, index);
    if (tidied !== undefined) {
      this.#changed = true;
      this.#report.push(...tidied.report);
    }
    for (const piece of tidied?.messages ?? [message]) this.#place(piece, index);
  }

  #followsCalls(): boolean {
    const last = this.#open.at(-1)?.at ?? -1;
    return this.#endOfCalls(last) === this.#out.length;
  }

  /** The index behind the calls of which the message at `at` is one. */
  #endOfCalls(at: number): number {
    let end = at + 1;
    for (let next = this.#out[end]; next !== undefined && this.#mending.continuesCalls(next.message); ) {
      end++;
      next = this.#out[end];
    }
    return end;
  }

  #place(message: NativeMessage, index: number): void {
    const exchanges = this.#mending.exchanges(message);
    const ids = exchanges.map((exchange) =>
      exchange.kind === "call" ? this.#called(exchange, index) : this.#answered(exchange, index),
    );
    const same = exchanges.every(({ id }, place) => id === ids[place]);
    if (!same) this.#changed = true;
    this.#out.push({ message: same ? message : this.#mending.withIds(message, ids), from: index });
  }

  #called(call: Exchange, index: number): string | null {
    if (this.#mending.uniqueIn === "round" && this.#open.length === 0) this.#ids = this.#newIds();
    const free = this.#mending.uniqueIn === undefined || call.id === null;
    const sentId = free ? call.id : this.#ids.assign(call.id, call.name ?? "call");
    if (sentId !== call.id) {
      this.#report.push(
        rekeyed({ index, path: call.path }, `${short(call.id)} -> ${short(sentId)} in the request`),
      );
    }
    this.#open.push({ ...call, sentId, at: this.#out.length, index });
    return sentId;
  }

  #answered(result: Exchange, index: number): string | null {
    const place = this.#open.findIndex((call) => isAnswer(result, call));
    const [call] = place < 0 ? [] : this.#open.splice(place, 1);
    if (call !== undefined) return call.sentId === call.id ? result.id : call.sentId;
    this.#issues.push({ index, path: result.path, expected: EXPECTED });
    return result.id;
  }

  /** From the last calls to the first, so that the places of the others stay what they were. */
  #endRound(): void {
    for (const at of [...new Set(this.#open.map((call) => call.at))].reverse()) {
      const calls = this.#open.filter((call) => call.at === at);
      for (const { index, path, sentId, name } of calls) {
        const detail = `${short(sentId ?? name)}: synthetic in the request, the call was never answered`;
        this.#report.push(added("tool-result", { index, path }, detail));
      }
      const end = this.#endOfCalls(at);
      const following = this.#out.splice(end);
      append(this.#out, this.#mending.withAnswers(following, this.#mending.answers(calls)));
      this.#changed = true;
    }
    this.#open = [];
  }

  #openWithUser(): void {
    const { opening, beginsWithModel } = this.#mending;
    const [first] = this.#out;
    if (first === undefined || opening === undefined || beginsWithModel?.(first.message) !== true) return;
    this.#out.unshift({ message: opening, from: undefined });
    this.#report.push(added("user-turn", { index: 0, path: "" }, "the history begins with the model"));
    this.#changed = true;
  }
}

/** By id where both have one, else by name; an unnamed result of a call without an id is the next one. */
function isAnswer(result: Exchange, call: Exchange): boolean {
  if (result.form !== undefined && result.form !== call.form) return false;
  if (result.id !== null && call.id !== null) return result.id === call.id;
  return result.name === undefined || result.name === call.name;
}

/** Ids have any length, and a report goes into events. */
function short(id: string | null | undefined): string {
  const text = id ?? "(no id)";
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
