/** A call's report on its media with what the conversation knows of them: the name of the file, and how large it was. */
import { dialectFor } from "../core/dialects/index.js";
import type { MediaReportEntry } from "../core/envelope/envelope.js";
import { withTableFacts } from "../core/media/media-report.js";
import { reportedDigest } from "../core/media/reported-digest.js";
import type { ProviderName } from "../core/providers.js";
import type { Transcript } from "./read-transcript.js";

/** The media table is asked for only where there is something to report. */
export async function toldMedia(
  report: readonly MediaReportEntry[] | undefined,
  provider: ProviderName,
  { messages, media }: Transcript,
): Promise<{ readonly media_report?: readonly MediaReportEntry[] }> {
  if (report === undefined || report.length === 0) return {};
  const dialect = dialectFor(provider);
  // Whoever cannot be asked now must not cost the answer, which has been paid for.
  const table = (await media?.().catch(() => undefined)) ?? {};
  const byUri = new Map(Object.values(table).map((entry) => [entry.uri, entry] as const));
  return {
    media_report: report.map((entry) => {
      const digest = reportedDigest(entry, messages[entry.message_index], dialect);
      const addressed = entry.uri === undefined ? undefined : byUri.get(entry.uri);
      return withTableFacts(entry, addressed ?? table[digest ?? ""]);
    }),
  };
}
