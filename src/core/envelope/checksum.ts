/** The checksum that tells a damaged envelope from a whole one. */
import { canonicalJson, sha256Hex } from "../hash.js";
import type { JsonObject } from "../json.js";
import type { Envelope } from "./envelope.js";

/** Hex SHA-256 over the canonical JSON (RFC 8785) without `checksum`: a database column may reorder the keys. */
export function checksumOf(envelope: JsonObject | Envelope): string {
  const { checksum: _, ...content } = envelope;
  return sha256Hex(canonicalJson(content));
}
