/** An envelope from the path of its file or from its text. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnvelope } from "../core/envelope/parse-envelope.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import { UsageError } from "../core/errors/errors.js";

/** A text that begins as JSON does is the envelope itself; anything else is a path. */
export async function readEnvelopeText(
  pathOrText: string,
  cwd: string,
  conversationId?: string,
): Promise<ParsedEnvelope> {
  const now = new Date().toISOString();
  const context = { now, ...(conversationId === undefined ? {} : { conversationId }) };
  if (/^\s*[{[]/.test(pathOrText)) return parseEnvelope(pathOrText, context);
  const text = await readFile(resolve(cwd, pathOrText), "utf8").catch((error: NodeJS.ErrnoException) => {
    const what = error.code === "ENOENT" ? "does not exist" : `cannot be read (${error.code ?? "unknown"})`;
    throw new UsageError(`The envelope ${pathOrText} ${what}: check the path.`, { cause: error });
  });
  return parseEnvelope(text, { ...context, source: pathOrText });
}
