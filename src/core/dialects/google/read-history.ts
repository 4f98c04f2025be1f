/** Gemini's contents, read into the neutral pivot. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import { OpenCalls } from "../open-calls.js";
import type {
  Origin,
  PivotCall,
  PivotEntry,
  PivotPart,
  PivotResult,
  ReadHistory,
  ReadRange,
} from "../pivot.js";
import { moved } from "../report.js";
import { ContinuingResults } from "./continuing-results.js";
import { type Content, readContent } from "./read-content.js";
import type { ReadResponse } from "./read-place.js";

/** @throws SessionCompatibilityError for a call without a name. */
export function readHistory(messages: readonly JsonObject[], range?: ReadRange): ReadHistory {
  const assembly = new Assembly();
  for (let index = range?.first ?? 0; index < (range?.end ?? messages.length); index++) {
    assembly.add(messages[index] ?? {}, index);
  }
  return assembly.end();
}

/** Results that may still be joined by later responses to the same call. */
interface OpenResult {
  readonly origin: Origin;
  readonly callId: string | null;
  readonly name: string | undefined;
  /** Its own list, to which later responses add. */
  readonly parts: PivotPart[];
  isError: boolean;
  continues: boolean;
}

interface OpenResults {
  readonly kind: "results";
  readonly origin: Origin;
  readonly results: OpenResult[];
}

/** A turn that calls in following contents may still join. */
interface OpenAssistant {
  readonly kind: "assistant";
  readonly origin: Origin;
  readonly parts: (PivotPart | PivotCall)[];
}

type OpenEntry = Extract<PivotEntry, { kind: "user" }> | OpenAssistant | OpenResults;

class Assembly {
  readonly #entries: OpenEntry[] = [];
  readonly #report: ConversionReportEntry[] = [];
  /** The turn that made the open calls. */
  #calling: OpenAssistant | undefined;
  #openCalls = new OpenCalls<null, OpenResult>();
  /** The results since the last call by the id that they answer, the first of each. */
  #answered = new Map<string, OpenResult>();
  /** Results of which more is still to come. */
  readonly #continuing = new ContinuingResults<OpenResult>();

  add(message: JsonObject, index: number): void {
    const content = readContent(message, index);
    append(this.#report, content.report);
    for (const lane of lanesOf(content)) {
      const origin = { index, path: "" };
      if (lane.kind === "results") this.#addResults(lane.responses, origin);
      else if (lane.kind === "assistant") this.#addAssistant(lane.parts, origin);
      else this.#entries.push({ kind: "user", origin, parts: lane.parts });
    }
  }

  end(): ReadHistory {
    const read = { entries: this.#entries.map(closed), report: this.#report };
    return this.#continuing.size > 0 ? { ...read, unfinished: true } : read;
  }

  /** A turn's text and its calls may come in contents of their own, but are one turn. */
  #addAssistant(parts: readonly (PivotPart | PivotCall)[], origin: Origin): void {
    const calls = parts.filter((part) => part.kind === "call");
    const last = this.#entries.at(-1);
    const joins = calls.length > 0 && last?.kind === "assistant";
    const turn: OpenAssistant = joins ? last : { kind: "assistant", origin, parts: [] };
    if (!joins) this.#entries.push(turn);
    append(turn.parts, parts);
    if (calls.length > 0 && this.#calling !== turn) this.#startRound(turn);
    for (const call of calls) this.#openCalls.add(call, null);
  }

  #startRound(turn: OpenAssistant): void {
    this.#calling = turn;
    this.#openCalls = new OpenCalls();
    this.#answered = new Map();
    for (const result of this.#continuing.inOrder()) this.#note(result);
  }

  #note(result: OpenResult): void {
    const { callId } = result;
    if (callId !== null && !this.#answered.has(callId)) this.#answered.set(callId, result);
  }

  #addResults(responses: readonly ReadResponse[], origin: Origin): void {
    for (const response of responses) {
      if (this.#isJoined(response)) continue;
      const opened = openResult(response);
      this.#note(opened);
      if (opened.continues) this.#continuing.add(opened);
      // A call's name is never empty.
      const call = this.#openCalls.answeredBy({ callId: opened.callId, name: opened.name ?? "" });
      if (call !== undefined) this.#openCalls.settle(call, opened);
      const last = this.#entries.at(-1);
      if (last?.kind === "results") last.results.push(opened);
      else this.#entries.push({ kind: "results", origin, results: [opened] });
    }
  }

  /** Further responses to one call count as one result: no other wire takes a second one. */
  #isJoined(response: ReadResponse): boolean {
    const earlier = this.#continuing.of(response) ?? this.#repeated(response);
    if (earlier === undefined) return false;
    if (!response.empty) append(earlier.parts, response.parts);
    earlier.isError ||= response.isError;
    if (response.willContinue && !earlier.continues) this.#continuing.add(earlier);
    if (!response.willContinue) this.#continuing.remove(earlier);
    earlier.continues = response.willContinue;
    this.#report.push(moved("order", response.origin, "joins the earlier response to the same call"));
    return true;
  }

  /** The result that the response repeats, where no call of its own is open for it. */
  #repeated({ id, name }: ReadResponse): OpenResult | undefined {
    if (id === null || this.#openCalls.answeredBy({ callId: id, name: name ?? "" }) !== undefined)
      return undefined;
    return this.#answered.get(id);
  }
}

function openResult({ origin, id, name, parts, isError, willContinue, empty }: ReadResponse): OpenResult {
  const said = willContinue && empty ? [] : [...parts];
  return {
    origin,
    callId: id,
    name: name ?? undefined,
    parts: said,
    isError,
    continues: willContinue,
  };
}

function closed(entry: OpenEntry): PivotEntry {
  if (entry.kind !== "results") return entry;
  const results = entry.results.map(
    ({ origin, callId, name, parts, isError }): PivotResult =>
      name === undefined ? { origin, callId, parts, isError } : { origin, callId, name, parts, isError },
  );
  return { ...entry, results };
}

type Lane =
  | { readonly kind: "results"; readonly responses: ReadResponse[] }
  | { readonly kind: "assistant"; readonly parts: (PivotPart | PivotCall)[] }
  | { readonly kind: "user"; readonly parts: PivotPart[] };

/** The items of one content, cut where another sort of entry begins. */
function lanesOf({ items, role }: Content): readonly Lane[] {
  const lanes: Lane[] = [];
  for (const item of items) {
    const last = lanes.at(-1);
    if (item.kind === "response") {
      if (last?.kind === "results") last.responses.push(item);
      else lanes.push({ kind: "results", responses: [item] });
    } else if (role === "model" || item.kind === "call") {
      if (last?.kind === "assistant") last.parts.push(item);
      else lanes.push({ kind: "assistant", parts: [item] });
    } else if (last?.kind === "user") last.parts.push(item);
    else lanes.push({ kind: "user", parts: [item] });
  }
  return lanes;
}
