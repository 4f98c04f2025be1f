/** Writing an envelope to a file that may hold an earlier one of the same conversation. */
import { readFile, stat } from "node:fs/promises";
import type { Envelope } from "../core/envelope/envelope.js";
import { parseEnvelope } from "../core/envelope/parse-envelope.js";
import { joined, serialisedPieces } from "../core/envelope/serialise-envelope.js";
import { EnvelopeFromFutureError, UsageError } from "../core/errors/errors.js";
import { slicesOf } from "../core/hash.js";
import { writeFileAtomically } from "../media-stores/write-file-atomically.js";
import { nativeSha256 } from "./native-sha256.js";

export interface WriteEnvelopeOptions {
  /** Replaces the file whatever it holds. */
  readonly overwrite?: boolean;
}

/**
 * Writes the file whole or not at all, and returns its text. What would be lost for good is kept: more turns of the same
 * conversation (an old worker, or a copy that went another way, must not take turns away), the envelope of a newer
 * release, and a file that is no envelope at all. An empty file and a damaged envelope have nothing to lose.
 *
 * @throws UsageError naming the file and what it holds; FileNotWrittenError.
 */
export async function writeEnvelopeFile(
  path: string,
  envelope: Envelope,
  options: WriteEnvelopeOptions = {},
): Promise<string> {
  if (options.overwrite !== true) {
    const loss = await lossOf(path, envelope);
    if (loss !== undefined)
      throw new UsageError(`${path} ${loss}: write to another file, or overwrite it on purpose.`);
  }
  const pieces = serialisedPieces(envelope, nativeSha256());
  await writeFileAtomically(path, bytesOf(pieces));
  return joined(pieces);
}

/** At most so many bytes of UTF-8 come of one unit of a text. */
const BYTES_A_UNIT = 3;

/** The UTF-8 of a text in pieces. Each chunk is good until the next: one buffer serves all, where many would pile up. */
async function* bytesOf(pieces: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  let buffer = Buffer.alloc(0);
  for (const piece of pieces)
    for (const slice of slicesOf(piece)) {
      const most = slice.length * BYTES_A_UNIT;
      if (buffer.byteLength < most) buffer = Buffer.allocUnsafeSlow(most);
      yield buffer.subarray(0, buffer.write(slice, "utf8"));
    }
}

/** What would be lost, as the end of a sentence; undefined where the file may be replaced. */
async function lossOf(path: string, envelope: Envelope): Promise<string | undefined> {
  const text = await textOf(path);
  if (text === undefined) return "exists and cannot be read";
  if (text.trim() === "") return undefined;
  try {
    const present = parseEnvelope(text, { ignoreChecksum: true }).envelope;
    const [has, would] = [present.metadata.run_count, envelope.metadata.run_count];
    if (present.conversation_id !== envelope.conversation_id || has <= would) return undefined;
    return `holds ${has} turns of conversation ${envelope.conversation_id} and would be replaced by ${would}`;
  } catch (error) {
    if (error instanceof EnvelopeFromFutureError) return "was written by a newer release of Holdfast";
    return REMAINS.test(text) ? undefined : "exists and is no envelope";
  }
}

/** How every envelope begins that this package has written, in any version, also one that was cut off. */
const REMAINS = /^\s*\{\s*"schema_version"\s*:/;

/** Empty where there is no file; what is no regular file is left to the writer, which refuses it. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, "utf8") : "";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "" : undefined;
  }
}
