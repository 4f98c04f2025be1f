/** Writing an envelope to a file that may hold an earlier one of the same conversation. */
import { readFile } from "node:fs/promises";
import type { Envelope } from "../core/envelope/envelope.js";
import { parseEnvelope } from "../core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../core/envelope/serialise-envelope.js";
import { UsageError } from "../core/errors/errors.js";
import { writeFileAtomically } from "../media-stores/write-file-atomically.js";

/**
 * Writes the file whole or not at all, and returns its text. A file of the same conversation that holds more turns is kept:
 * an old worker, or a copy that went another way, must not take turns away.
 *
 * @throws UsageError naming the file when it is newer.
 */
export async function writeEnvelopeFile(
  path: string,
  envelope: Envelope,
  options: { readonly overwrite?: boolean } = {},
): Promise<string> {
  if (options.overwrite !== true) await assertNotNewer(path, envelope);
  const text = serialiseEnvelope(envelope);
  await writeFileAtomically(path, text);
  return text;
}

async function assertNotNewer(path: string, envelope: Envelope): Promise<void> {
  const present = await readFile(path, "utf8").then(readable, () => undefined);
  if (present === undefined || present.conversation_id !== envelope.conversation_id) return;
  const [has, would] = [present.metadata.run_count, envelope.metadata.run_count];
  if (has <= would) return;
  throw new UsageError(
    `${path} holds ${has} turns of conversation ${envelope.conversation_id} and would be replaced by ${would}: write to another file, or overwrite it on purpose.`,
  );
}

/** A file that is no envelope, or a damaged one, has no turns to protect. */
function readable(text: string): Envelope | undefined {
  try {
    return parseEnvelope(text).envelope;
  } catch {
    return undefined;
  }
}
