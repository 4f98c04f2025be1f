/** What was read of one place of a Chat Completions message, and what of it has no place in any other dialect. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../../json.js";
import { append } from "../append.js";
import type { Origin, PivotPart } from "../pivot.js";
import { dropped } from "../report.js";

export interface Reading<Part = PivotPart> {
  readonly parts: readonly Part[];
  readonly report: readonly ConversionReportEntry[];
}

export const NOTHING: Reading<never> = { parts: [], report: [] };

/** The texts and media that were read, of several places as of one. */
export function together<Part>(readings: readonly Reading<Part>[]): Reading<Part> {
  const [first = NOTHING as Reading<Part>, ...others] = readings;
  if (others.length === 0) return first;
  const all = { parts: [] as Part[], report: [] as ConversionReportEntry[] };
  for (const { parts, report } of readings) {
    append(all.parts, parts);
    append(all.report, report);
  }
  return all;
}

/** A place inside the one given: `content[1]` and `image_url` make `content[1].image_url`. */
export function within({ index, path }: Origin, step: string): Origin {
  return { index, path: path === "" ? step : `${path}.${step}` };
}

/** Empty text vanishes; text of whitespace alone, which several wires refuse, is reported. */
export function readText(text: string | null | undefined, origin: Origin): Reading {
  if (text === undefined || text === null || text === "") return NOTHING;
  if (text.trim() === "") return { parts: [], report: [dropped("empty", origin, "whitespace only")] };
  return { parts: [{ kind: "text", text, origin }], report: [] };
}

export function isAbsent(value: JsonValue | undefined): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

const NO_REPORT: readonly ConversionReportEntry[] = [];

/** `cache_control` is what gateways take on this wire too. */
const CACHE_MARKERS: ReadonlySet<string> = new Set(["prompt_cache_breakpoint", "cache_control"]);

/** An entry for every field that holds something and that nothing has read. */
export function unreadFields(
  object: JsonObject,
  read: ReadonlySet<string>,
  origin: Origin,
): readonly ConversionReportEntry[] {
  let report: ConversionReportEntry[] | undefined;
  for (const field in object) {
    if (read.has(field) || isAbsent(object[field])) continue;
    report ??= [];
    report.push(dropped(CACHE_MARKERS.has(field) ? "cache-marker" : "metadata", within(origin, field)));
  }
  return report ?? NO_REPORT;
}
