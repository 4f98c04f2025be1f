/** A conversion report as lines for a person: how much of what, and then each entry. */
import type { ConversionReportEntry } from "../core/envelope/envelope.js";
import { oneLine } from "./report-error.js";
import { table } from "./table.js";

const MOST_OF_A_KIND = 100;

/** Nothing where nothing was lost or changed. */
export function conversionLines(report: readonly ConversionReportEntry[]): readonly string[] {
  const groups = Map.groupBy(report, ({ kind }) => kind);
  const counts = [...groups].map(([kind, entries]) => `${entries.length.toLocaleString("en-US")} ${kind}`);
  if (counts.length === 0) return [];
  return [
    `Not everything crossed as it was: ${counts.join(", ")}.`,
    ...[...groups].flatMap(([kind, entries]) => [kind, ...entryLines(entries)]),
  ];
}

function entryLines(entries: readonly ConversionReportEntry[]): readonly string[] {
  const rows = entries
    .slice(0, MOST_OF_A_KIND)
    .map(({ index, artefact, detail }) => [`  message ${index}`, artefact ?? "", oneLine(detail ?? "")]);
  const more = entries.length - rows.length;
  return [
    ...table(rows),
    ...(more > 0 ? [`  … and ${more.toLocaleString("en-US")} more; --json has all`] : []),
  ];
}
