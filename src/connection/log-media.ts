/** What a log is told of media: loud where something is missing, quiet where it was mended. */
import type { LogMetadata } from "@temporalio/common";
import type { MediaReportEntry } from "../core/envelope/envelope.js";
import { cleanText } from "../core/errors/clean-text.js";

interface MediaLogger {
  warn(message: string, meta?: LogMetadata): void;
  info(message: string, meta?: LogMetadata): void;
}

type Words = Readonly<Partial<Record<MediaReportEntry["reason"], string>>>;

const WARNINGS: Words = {
  over_inline_threshold:
    "its bytes are above media_max_inline_bytes and not in the file; configure a media store, or pass mediaMaxInlineBytes: null",
  missing_blob:
    "its bytes are in no media store that is known here; give the store that has them as mediaStore (--media-store), or attach the file again",
  expired_unavailable:
    "its upload has expired and nobody has its bytes any more; attach the file again where it is still needed",
  invalid_media: "it cannot be used; attach a whole file of a type that the model takes",
};
const DAMAGED =
  "its bytes in the media store are damaged; put a whole copy in its place, or attach the file again";
const NOTES: Words = {
  expired_reuploaded: "its upload had expired and was made anew",
  dead_uri_reuploaded: "its address was dead and it was uploaded anew",
};
const QUIET: Words = { ...NOTES, stripped: "a text stands in its place" };
const NAME_BYTES = 200;

/** One line an entry. */
export function logMedia(logger: MediaLogger, entries: readonly MediaReportEntry[], meta: LogMetadata): void {
  for (const entry of entries) {
    if (WARNINGS[entry.reason] !== undefined) logger.warn(mediaLine(entry), meta);
    else if (NOTES[entry.reason] !== undefined) logger.info(mediaLine(entry), meta);
  }
}

/** Whether somebody has to do something about it. */
export const isMediaLoss = ({ reason }: MediaReportEntry): boolean => WARNINGS[reason] !== undefined;

/** What happened, to which file, and what to do about it: for a log, and for a person. */
export function mediaLine({
  reason,
  mime_type,
  size,
  message_index,
  name,
  detail,
}: MediaReportEntry): string {
  const file = name === undefined ? "an attachment" : cleanText(name, NAME_BYTES);
  const bytes = size === 0 ? "" : `, ${size} bytes`;
  const what = `message ${message_index}, ${mime_type}${bytes}${detail === undefined ? "" : `, ${detail}`}`;
  const isDamaged = reason === "missing_blob" && detail?.endsWith(" is damaged") === true;
  const said = isDamaged ? DAMAGED : (WARNINGS[reason] ?? QUIET[reason] ?? "");
  return `${reason}: ${file} (${what}): ${said}.`;
}
