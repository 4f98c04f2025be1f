/** The file of a command that takes an envelope or, with `--from`, a provider's own history. */
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { readEnvelopeText, readTextFile, utf8 } from "../client/read-envelope-text.js";
import { type NativeHistory, readNativeHistory } from "../core/dialects/native-history.js";
import { parseJson } from "../core/envelope/parse-json.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import type { DialectName } from "../core/providers.js";

export interface EnvelopeSource extends ParsedEnvelope {
  /** Its path or, from stdin, its text. */
  readonly source: string;
}

/** An envelope from a path, or from stdin where that is `-`. */
export async function readEnvelopeSource(file: string, cwd: string, id?: string): Promise<EnvelopeSource> {
  const source = file === "-" ? await readStdin("The envelope") : asPath(file, cwd);
  return { source, ...(await readEnvelopeText(source, cwd, id)) };
}

/** @throws InvalidHistoryError for what is no history of that dialect. */
export async function readHistorySource(
  file: string,
  from: DialectName,
  cwd: string,
): Promise<NativeHistory> {
  const source = file === "-" ? "The history" : file;
  const text =
    file === "-" ? await readStdin(source) : await readTextFile(resolve(cwd, file), file, "history");
  return readNativeHistory(parseJson(text, source), from, source);
}

/** A name that begins as JSON does is a path here all the same. */
const asPath = (file: string, cwd: string): string => (/^\s*[{[]/.test(file) ? resolve(cwd, file) : file);

async function readStdin(asked: string): Promise<string> {
  return utf8(await buffer(process.stdin), asked);
}
