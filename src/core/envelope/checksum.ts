/** The checksum that tells a damaged envelope from a whole one. */
import { canonicalJson, portableSha256, type Sha256, slicesOf } from "../hash.js";
import type { JsonObject } from "../json.js";
import type { Envelope } from "./envelope.js";
import { jsonPieces } from "./json-pieces.js";

/** Hex SHA-256 over the canonical JSON (RFC 8785) without `checksum`: a database column may reorder the keys. */
export function checksumOf(envelope: JsonObject | Envelope, hash: Sha256 = portableSha256()): string {
  const { checksum: _, ...content } = envelope;
  for (const piece of jsonPieces(content, canonicalJson))
    for (const slice of slicesOf(piece)) hash.update(slice);
  return hash.hex();
}
