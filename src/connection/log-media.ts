/** What a log is told of media: loud where something is missing, quiet where it was mended. */
import type { LogMetadata } from "@temporalio/common";
import type { MediaReportEntry } from "../core/envelope/envelope.js";

interface MediaLogger {
  warn(message: string, meta?: LogMetadata): void;
  info(message: string, meta?: LogMetadata): void;
}

const WARNINGS: Readonly<Partial<Record<MediaReportEntry["reason"], string>>> = {
  over_inline_threshold:
    "its bytes are above media_max_inline_bytes and not in the file; configure a media store, or pass mediaMaxInlineBytes: null",
  missing_blob: "its bytes are in no media store that is known here",
  expired_unavailable: "its upload has expired and nobody has its bytes any more",
  invalid_media: "it cannot be used",
};
const NOTES: Readonly<Partial<Record<MediaReportEntry["reason"], string>>> = {
  expired_reuploaded: "its upload had expired and was made anew",
  dead_uri_reuploaded: "its address was dead and it was uploaded anew",
};

/** One line an entry. */
export function logMedia(logger: MediaLogger, entries: readonly MediaReportEntry[], meta: LogMetadata): void {
  for (const entry of entries) {
    const { reason, mime_type, size, message_index, detail } = entry;
    const what = `message ${message_index}, ${mime_type}, ${size} bytes${detail === undefined ? "" : `, ${detail}`}`;
    const [warning, note] = [WARNINGS[reason], NOTES[reason]];
    if (warning !== undefined) logger.warn(`${reason}: an attachment (${what}): ${warning}.`, meta);
    else if (note !== undefined) logger.info(`${reason}: an attachment (${what}): ${note}.`, meta);
  }
}
