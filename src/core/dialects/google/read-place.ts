/** Where a reader stands in a Gemini history, and what it finds there. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import type { Origin, PivotCall, PivotPart } from "../pivot.js";
import { dropped } from "../report.js";

export interface Place {
  readonly origin: Origin;
  readonly role: "user" | "model";
}

/** One function response, before it is known which others answer the same call. */
export interface ReadResponse {
  readonly kind: "response";
  readonly origin: Origin;
  readonly id: string | null;
  readonly name: string | null;
  readonly parts: readonly PivotPart[];
  readonly isError: boolean;
  /** More responses to the same call follow. */
  readonly willContinue: boolean;
  /** It only says that the call is finished. */
  readonly empty: boolean;
}

export type ReadItem = PivotPart | PivotCall | ReadResponse;

export interface Reading<Item = ReadItem> {
  readonly items: readonly Item[];
  readonly report: readonly ConversionReportEntry[];
}

export const NOTHING: Reading<never> = { items: [], report: [] };

const NO_REPORT: readonly ConversionReportEntry[] = [];

export function found<Item>(item: Item, report: readonly ConversionReportEntry[] = NO_REPORT): Reading<Item> {
  return { items: [item], report };
}

export function lost(...report: readonly ConversionReportEntry[]): Reading<never> {
  return { items: [], report };
}

export function together<Item>(readings: readonly Reading<Item>[]): Reading<Item> {
  const [only] = readings;
  if (readings.length === 1 && only !== undefined) return only;
  const all = { items: [] as Item[], report: [] as ConversionReportEntry[] };
  for (const { items, report } of readings) {
    append(all.items, items);
    append(all.report, report);
  }
  return all;
}

/** A place further inside; `step` begins with its own dot or bracket. */
export function inside({ index, path }: Origin, step: string): Origin {
  return { index, path: `${path}${step}` };
}

/** What stands beside the fields that are read, the keys of `read`. Null counts as absent. */
export function otherFields(
  value: JsonObject,
  read: object,
  origin: Origin,
): readonly ConversionReportEntry[] {
  let report: ConversionReportEntry[] | undefined;
  for (const key in value) {
    if (Object.hasOwn(read, key) || value[key] === null || value[key] === undefined) continue;
    report ??= [];
    report.push(dropped("metadata", inside(origin, origin.path === "" ? key : `.${key}`)));
  }
  return report ?? NO_REPORT;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
