/** A call's report on its media with what the conversation knows of them: the name of the file, and how large it was. */
import { dialectFor } from "../core/dialects/index.js";
import type { MediaReportEntry, NativeMessage } from "../core/envelope/envelope.js";
import { digestOfKey, keyOf } from "../core/media/marker.js";
import { mediaPlaces } from "../core/media/media-place.js";
import { withTableFacts } from "../core/media/media-report.js";
import type { ProviderName } from "../core/providers.js";
import type { Transcript } from "./read-transcript.js";

/** The media table is asked for only where there is something to report. */
export async function toldMedia(
  report: readonly MediaReportEntry[] | undefined,
  provider: ProviderName,
  { messages, media }: Transcript,
): Promise<{ readonly media_report?: readonly MediaReportEntry[] }> {
  if (report === undefined || report.length === 0) return {};
  // Whoever cannot be asked now must not cost the answer, which has been paid for.
  const table = (await media?.().catch(() => undefined)) ?? {};
  const byUri = new Map(Object.values(table).map((entry) => [entry.uri, entry] as const));
  return {
    media_report: report.map((entry) => {
      const digest = digestOf(entry, messages[entry.message_index], provider);
      const addressed = entry.uri === undefined ? undefined : byUri.get(entry.uri);
      return withTableFacts(entry, addressed ?? table[digest ?? ""]);
    }),
  };
}

/** The blob's digest: what is missing is named in the detail; of anything else the message may have just one of that type. */
function digestOf(
  { detail = "", mime_type }: MediaReportEntry,
  message: NativeMessage | undefined,
  provider: ProviderName,
): string | undefined {
  const named = /[0-9a-f]{64}/.exec(detail)?.[0];
  if (named !== undefined || message === undefined) return named;
  const keys = mediaPlaces(dialectFor(provider), [message]).flatMap((place) =>
    place.mime_type === mime_type ? (keyOf(place.data) ?? []) : [],
  );
  const [key] = keys;
  return key === undefined || new Set(keys).size > 1 ? undefined : digestOfKey(key);
}
