/** The work of writing a conversation's envelope outside of it, on the main loop or in a thread. */
import { writeEnvelopeFile } from "../connection/checkpoint-file.js";
import { type ClosedEnvelope, closedEnvelope } from "../connection/closed-conversations.js";
import { writtenEnvelope } from "../connection/export-envelope.js";
import { envelopeOfPages } from "../connection/read-pages.js";
import type { CheckpointResult } from "../core/conversation/activity-contract.js";
import type { MediaReportEntry } from "../core/envelope/envelope.js";
import { addedEntries } from "../core/media/media-report.js";
import type { MediaStore } from "../core/media/media-store.js";
import type { SavePlan } from "../core/media/policy.js";
import type { EnvelopePages } from "./page-weight.js";

/** What to do, as data that may cross to a thread. */
export interface ExportTask {
  /** When the pages were read. */
  readonly savedAt: string;
}
export interface CheckpointTask extends ExportTask {
  readonly path: string;
  readonly plan: SavePlan;
  /** Keys of blobs that could not be externalized, for nobody has their bytes. */
  readonly missing: readonly string[];
}

/** What came of a checkpoint, and what it reports of media. */
export interface WrittenCheckpoint extends CheckpointResult {
  readonly report: readonly MediaReportEntry[];
}

/** Writes the file. @throws what `writeEnvelopeFile` throws, or the store. */
export async function checkpointPages(
  { savedAt, path, plan, missing }: CheckpointTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<WrittenCheckpoint> {
  const state = envelopeOfPages(pages, savedAt);
  const envelope = await writtenEnvelope(state, plan, store, new Set(missing));
  await writeEnvelopeFile(path, envelope);
  const { run_count } = envelope.metadata;
  return { run_count, report: addedEntries(state.media_report, envelope.media_report) };
}

/** Its media stay where they are: the working store keeps both. */
const IN_WORKING_STORE: SavePlan = { policy: "externalize", maxInlineBytes: null };

/** The bytes of the last envelope, and what the list of closed conversations says of it. */
export async function closePages(
  { savedAt }: ExportTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<ClosedEnvelope> {
  return closedEnvelope(await writtenEnvelope(envelopeOfPages(pages, savedAt), IN_WORKING_STORE, store));
}
