/** Reads a Responses history into the pivot. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import type {
  PivotAssistant,
  PivotEntry,
  PivotResult,
  PivotResults,
  ReadHistory,
  ReadRange,
} from "../pivot.js";
import { readItem } from "./read-items.js";
import type { Item } from "./wire.js";

/**
 * Reads native items; neighbouring items of the model become one assistant entry, neighbouring outputs one of results.
 *
 * @throws SessionCompatibilityError for a call without a name.
 */
export function readHistory(messages: readonly JsonObject[], range?: ReadRange): ReadHistory {
  const report: ConversionReportEntry[] = [];
  const turns = new Turns(range?.leading ?? true);
  const shells = new LocalShells();
  for (let index = range?.first ?? 0; index < (range?.end ?? messages.length); index++) {
    const message = messages[index] ?? {};
    const reading = readItem(shells.named(message as Item), { index, path: "" }, turns.leading);
    // One by one: a call takes only so many arguments.
    for (const entry of reading.report) report.push(entry);
    if (reading.entry !== undefined) turns.add(reading.entry);
  }
  return { entries: turns.entries, report };
}

/** Entries in order, neighbours of the same making joined: texts with the calls that follow, and outputs. */
class Turns {
  readonly entries: PivotEntry[] = [];
  leading: boolean;
  #parts: PivotAssistant["parts"][number][] = [];
  #results: PivotResult[] = [];

  constructor(leading: boolean) {
    this.leading = leading;
  }

  add(entry: PivotEntry): void {
    if (entry.kind !== "system") this.leading = false;
    const last = this.entries.at(-1)?.kind;
    if (entry.kind === "assistant") this.#addParts(entry, last === "assistant" && this.#takes(entry));
    else if (entry.kind === "results") this.#addResults(entry, last === "results");
    else this.entries.push(entry);
  }

  /** Text after calls stays apart: the repair pass decides whether it belongs before them or after their results. */
  #takes({ parts }: PivotAssistant): boolean {
    return this.#parts.at(-1)?.kind !== "call" || parts.every(({ kind }) => kind === "call");
  }

  #addParts(entry: PivotAssistant, joins: boolean): void {
    if (!joins) {
      this.#parts = [];
      this.entries.push({ ...entry, parts: this.#parts });
    }
    for (const part of entry.parts) this.#parts.push(part);
  }

  #addResults(entry: PivotResults, joins: boolean): void {
    if (!joins) {
      this.#results = [];
      this.entries.push({ ...entry, results: this.#results });
    }
    append(this.#results, entry.results);
  }
}

/** A local shell's output names its call by `id`, which is the call's own id or that of its item. */
class LocalShells {
  readonly #callIds = new Map<string, string>();

  named(item: Item): Item {
    const { type, id, call_id } = item;
    if (typeof id !== "string") return item;
    if (type === "local_shell_call" && typeof call_id === "string") this.#callIds.set(id, call_id);
    if (type !== "local_shell_call_output") return item;
    return { ...item, call_id: call_id ?? this.#callIds.get(id) ?? id };
  }
}
