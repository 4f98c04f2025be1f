/** From text to an envelope. */
import { dialectFor } from "../dialects/index.js";
import { parseJson } from "./parse-json.js";
import { type ParsedEnvelope, type ReadEnvelopeOptions, readEnvelopeWith } from "./read-envelope.js";

/**
 * Reads the text of an envelope: parsed, checked against its checksum, migrated, and every known key checked.
 *
 * @throws EnvelopeDamagedError for what is not a whole envelope, EnvelopeFromFutureError for a version that this
 * package does not know, InvalidHistoryError for messages that are not valid in their own dialect.
 */
export function parseEnvelope(text: string, options: ReadEnvelopeOptions = {}): ParsedEnvelope {
  return readEnvelope(parseJson(text, options.source ?? "The envelope"), options);
}

/** The same for a document that is parsed already, such as one from a database's JSON column. */
export function readEnvelope(value: unknown, options: ReadEnvelopeOptions = {}): ParsedEnvelope {
  return readEnvelopeWith(dialectFor, value, options);
}
