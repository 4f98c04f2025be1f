/** The report of what happened to media: an event that goes on happening stands in it once. */
import type { MediaEntry, MediaReportEntry } from "../envelope/envelope.js";

const KEY = /[0-9a-f]{64}\.[a-z0-9]{1,8}/;
/** Entries that a turn's result shows. */
const MOST_TOLD = 20;

/** Those of `more` that `known` does not have yet. A size that nobody knew does not make an entry another one. */
export function addedEntries(
  known: readonly MediaReportEntry[],
  more: readonly MediaReportEntry[],
): readonly MediaReportEntry[] {
  if (more.length === 0) return more;
  const seen = new Set(known.map(identity));
  return more.filter((entry) => {
    const id = identity(entry);
    if (seen.has(id)) return false;
    // Two parts of one message that nothing tells apart are two.
    if ((entry.detail ?? entry.uri) !== undefined) seen.add(id);
    return true;
  });
}

/** What a turn's result says of its media: nothing, or the first entries, each once. */
export function toldMedia(report: readonly MediaReportEntry[] | undefined): {
  readonly media_report?: readonly MediaReportEntry[];
} {
  if (report === undefined || report.length === 0) return {};
  return { media_report: addedEntries([], report).slice(0, MOST_TOLD) };
}

/** The keys of blobs that were reported as missing and whose markers stayed. */
export function reportedMissing(report: readonly MediaReportEntry[]): ReadonlySet<string> {
  return new Set(
    report.flatMap(({ reason, preserved, detail }) =>
      reason === "missing_blob" && preserved === true ? (KEY.exec(detail ?? "") ?? []) : [],
    ),
  );
}

/** The entry with what the media table knows of the blob: its name, and its size where whoever reported it did not know that. */
export function withTableFacts(entry: MediaReportEntry, known: MediaEntry | undefined): MediaReportEntry {
  if (known === undefined) return entry;
  const { name } = known;
  return {
    ...entry,
    ...(entry.size === 0 ? { size: known.size_bytes } : {}),
    ...(name === undefined || name === "" ? {} : { name }),
  };
}

/** Why a blob is reported as missing: nothing is there, or something else is. */
export function missingDetail(key: string, damaged: ReadonlySet<string>): string {
  return damaged.has(key) ? `${key} is damaged` : key;
}

/** The words for what is missing differ with who looked for it. */
function identity({ reason, message_index, mime_type, uri, detail }: MediaReportEntry): string {
  const said =
    reason === "missing_blob" ? (/[0-9a-f]{64}/.exec(detail ?? "")?.[0] ?? null) : (detail ?? null);
  return JSON.stringify([reason, message_index, mime_type, uri ?? null, said]);
}
