/** The size up to which an envelope can be read again: what is larger is not written. */
import { UsageError } from "../errors/errors.js";

/** The longest text of the engine (V8), which a file must fit to be parsed. */
export const MOST_ENVELOPE_BYTES: number = 2 ** 29 - 24;

const MEGABYTE = 1_000_000;
const inMegabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

/** @throws UsageError where an envelope of at least so many bytes could not be read again. */
export function assertReadableSize(bytes: number): void {
  if (bytes <= MOST_ENVELOPE_BYTES) return;
  throw new UsageError(
    `The envelope cannot be written: it would be ${inMegabytes(bytes)}, and a file above ${inMegabytes(MOST_ENVELOPE_BYTES)} cannot be read again. Externalize its media into a store (media: "externalize" with a mediaStore; on the command line --media externalize --media-store DIR), or leave them out (strip). Nothing was written.`,
  );
}

/** @throws UsageError for a file that is too large to be read. `asked`: what the user calls it. */
export function assertReadableFile(bytes: number, asked: string): void {
  if (bytes <= MOST_ENVELOPE_BYTES) return;
  throw new UsageError(
    `${asked} has ${inMegabytes(bytes)}, and an envelope above ${inMegabytes(MOST_ENVELOPE_BYTES)} cannot be read: save the conversation again with its media in a store (externalize) or without them (strip).`,
  );
}

/** All texts in a JSON value together, in characters: its JSON has at least as many bytes. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const member of Object.values(value)) length += textLength(member);
  return length;
}

/** No character is longer. */
const MOST_BYTES_A_UNIT = 3;

/** As `assertReadableSize`, of the UTF-8 of a text in pieces. `most` is the limit, for tests. */
export function assertReadableText(pieces: readonly string[], most: number = MOST_ENVELOPE_BYTES): void {
  const units = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (units * MOST_BYTES_A_UNIT <= most) return;
  const bytes = pieces.reduce((sum, piece) => sum + utf8Length(piece), 0);
  if (bytes > most) assertReadableSize(Math.max(bytes, MOST_ENVELOPE_BYTES + 1));
}

const NOT_ASCII = /[^\0-\x7f]/;

function utf8Length(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Both halves of a pair together have four bytes.
    if (code >= 0xd800 && code <= 0xdfff) bytes += 1;
    else if (code >= 0x800) bytes += 2;
    else if (code >= 0x80) bytes += 1;
  }
  return bytes;
}
