/** An envelope from the path of its file or from its text. */
import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { nativeSha256 } from "../connection/native-sha256.js";
import { parseEnvelope } from "../core/envelope/parse-envelope.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import { assertReadableFile } from "../core/envelope/readable-size.js";
import { EnvelopeDamagedError, isHoldfastError, UsageError } from "../core/errors/errors.js";

/** A text that begins as JSON does is the envelope itself; anything else is a path. */
export async function readEnvelopeText(
  pathOrText: string,
  cwd: string,
  conversationId?: string,
): Promise<ParsedEnvelope> {
  const now = new Date().toISOString();
  const context = { now, hash: nativeSha256(), ...(conversationId === undefined ? {} : { conversationId }) };
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
    assertReadableFile(there.size, asked);
    return utf8(await readFile(path), asked);
  } catch (error) {
    if (isHoldfastError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const wrong = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? "unknown"})`;
    throw new UsageError(`The ${what} ${asked} ${wrong}: check the path.`, { cause: error });
  }
}

/**
 * The text of a JSON document. What is binary is left to the parser, which says so.
 *
 * @throws EnvelopeDamagedError for JSON in another encoding: its letters would be lost in silence; UsageError for more than can
 * be read.
 */
export function utf8(bytes: Buffer, asked: string): string {
  assertReadableFile(bytes.byteLength, asked);
  const text = bytes.toString("utf8");
  if (isUtf8(bytes) || !/^\uFEFF?\s*[{[][\s"{[\]}]/.test(text)) return text;
  throw new EnvelopeDamagedError(`${asked} is not UTF-8: save it in that encoding, or use an earlier copy.`);
}
