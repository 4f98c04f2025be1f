/** An envelope from the path of its file or from its text. */
import { statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
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
  return parseEnvelope(await readTextFile(resolve(cwd, pathOrText), pathOrText, "envelope"), {
    ...context,
    source: pathOrText,
  });
}

/** What is written like a path or like JSON is one, also when nothing is there; a bare name only where a file has it. */
export function isEnvelopePath(source: string, cwd: string): boolean {
  if (/^\s*[{[]|[/\\]|\.json$/.test(source)) return true;
  return statSync(resolve(cwd, source), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** A pipe is read to its end; a device may have none. */
export async function readTextFile(path: string, asked: string, what: string): Promise<string> {
  try {
    const there = await stat(path);
    if (there.isDirectory() || there.isBlockDevice() || there.isCharacterDevice())
      throw new UsageError(
        `${asked} is not a file: give the path of ${what === "envelope" ? "an" : "a"} ${what}.`,
      );
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const wrong = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? "unknown"})`;
    throw new UsageError(`The ${what} ${asked} ${wrong}: check the path.`, { cause: error });
  }
}
