/** The work of writing a conversation's envelope outside of it, on the main loop or in a thread. */
import { writeEnvelopeFile } from "../connection/checkpoint-file.js";
import { type ClosedEnvelope, closedEnvelope } from "../connection/closed-conversations.js";
import { withInlineMedia } from "../connection/export-envelope.js";
import { envelopeOfPages } from "../connection/read-pages.js";
import type { CheckpointResult } from "../core/conversation/activity-contract.js";
import type { MediaStore } from "../core/media/media-store.js";
import type { EnvelopePages } from "./page-weight.js";

/** What to do, as data that may cross to a thread. */
export interface ExportTask {
  /** When the pages were read. */
  readonly savedAt: string;
}
export interface CheckpointTask extends ExportTask {
  readonly path: string;
}

/** Writes the file. @throws what `writeEnvelopeFile` throws, or the store. */
export async function checkpointPages(
  { savedAt, path }: CheckpointTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<CheckpointResult> {
  const envelope = await withInlineMedia(envelopeOfPages(pages, savedAt), store);
  await writeEnvelopeFile(path, envelope);
  return { run_count: envelope.metadata.run_count };
}

/** The bytes of the last envelope, and what the list of closed conversations says of it. */
export async function closePages(
  { savedAt }: ExportTask,
  pages: EnvelopePages,
  store: MediaStore,
): Promise<ClosedEnvelope> {
  return closedEnvelope(await withInlineMedia(envelopeOfPages(pages, savedAt), store));
}
