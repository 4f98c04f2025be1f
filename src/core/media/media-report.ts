/** The report of what happened to media: an event that goes on happening stands in it once. */
import type { MediaReportEntry } from "../envelope/envelope.js";

const KEY = /[0-9a-f]{64}\.[a-z0-9]{1,8}/;

/** Those of `more` that `known` does not have yet. A size that nobody knew does not make an entry another one. */
export function addedEntries(
  known: readonly MediaReportEntry[],
  more: readonly MediaReportEntry[],
): readonly MediaReportEntry[] {
  if (more.length === 0 || known.length === 0) return more;
  const seen = new Set(known.map(identity));
  return more.filter((entry) => !seen.has(identity(entry)));
}

/** The keys of blobs that were reported as missing and whose markers stayed. */
export function reportedMissing(report: readonly MediaReportEntry[]): ReadonlySet<string> {
  return new Set(
    report.flatMap(({ reason, preserved, detail }) =>
      reason === "missing_blob" && preserved === true ? (KEY.exec(detail ?? "") ?? []) : [],
    ),
  );
}

/** The words for what is missing differ with who looked for it. */
function identity({ reason, message_index, mime_type, uri, detail }: MediaReportEntry): string {
  const said =
    reason === "missing_blob" ? (/[0-9a-f]{64}/.exec(detail ?? "")?.[0] ?? null) : (detail ?? null);
  return JSON.stringify([reason, message_index, mime_type, uri ?? null, said]);
}
