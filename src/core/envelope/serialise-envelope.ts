/** From an envelope to its text, and its checksum. */
import { UsageError } from "../errors/errors.js";
import type { Sha256 } from "../hash.js";
import type { NamedKey } from "./check.js";
import { checksumOf } from "./checksum.js";
import type { Envelope } from "./envelope.js";
import { jsonPieces } from "./json-pieces.js";
import { assertReadableSize, assertReadableText, MOST_ENVELOPE_BYTES, textLength } from "./readable-size.js";
import { checkStructure } from "./structure.js";

/** Every key of this version, in the order of the file. */
const KEY_ORDER: Readonly<Record<NamedKey<Envelope>, true>> = {
  schema_version: true,
  conversation_id: true,
  created_at: true,
  saved_at: true,
  provider: true,
  model: true,
  agent: true,
  system: true,
  prefix: true,
  messages: true,
  turn_index: true,
  metadata: true,
  accounting: true,
  interrupted_turn: true,
  media_policy: true,
  media: true,
  media_report: true,
  converted_from: true,
  conversion_report: true,
  attic: true,
  copied_from: true,
  checksum: true,
};
export const ENVELOPE_KEYS: readonly string[] = Object.keys(KEY_ORDER);

/** The top-level keys that this version does not know, which ride along. */
export function unknownKeysOf(
  envelope: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(envelope).filter(([key]) => !Object.hasOwn(KEY_ORDER, key)));
}

/** The envelope with its checksum, whatever checksum it had before, and its keys in the order of the file. */
export function sealEnvelope(envelope: Envelope, hash?: Sha256): Envelope {
  const sealed: Readonly<Record<string, unknown>> = { ...envelope, checksum: checksumOf(envelope, hash) };
  const known = ENVELOPE_KEYS.filter((key) => sealed[key] !== undefined).map((key) => [key, sealed[key]]);
  // The same keys with the same values, reordered.
  return Object.fromEntries([...known, ...Object.entries(unknownKeysOf(envelope))]) as Envelope;
}

/**
 * Compact JSON, known keys first and in order, sealed with a checksum, a newline at the end.
 *
 * @throws UsageError for content that could not be read back: not plain JSON, too deep, too large, or under a refused key.
 */
export function serialiseEnvelope(envelope: Envelope, hash?: Sha256): string {
  return joined(serialisedPieces(envelope, hash));
}

/** The same in pieces, of which a large attachment's base64 is one as it stands: nothing of it is copied. @throws as that. */
export function serialisedPieces(envelope: Envelope, hash?: Sha256): readonly string[] {
  const issue = checkStructure(envelope);
  if (issue !== undefined) {
    throw new UsageError(
      `The envelope cannot be written: ${issue.path}: expected ${issue.expected}, found ${issue.found}.`,
    );
  }
  assertReadableSize(textLength(envelope));
  const pieces = sealedPieces(envelope, hash);
  assertReadableText(pieces);
  return pieces;
}

function sealedPieces(envelope: Envelope, hash: Sha256 | undefined): readonly string[] {
  try {
    return [...jsonPieces(sealEnvelope(envelope, hash), (value) => JSON.stringify(value)), "\n"];
  } catch (error) {
    // A text that is too long for the engine.
    if (error instanceof RangeError && /string length/.test(error.message))
      assertReadableSize(MOST_ENVELOPE_BYTES + 1);
    throw error;
  }
}

/** Engines keep a sum of long texts as its parts, where `join` copies them. */
export function joined(pieces: readonly string[]): string {
  return pieces.reduce((text, piece) => text + piece, "");
}
