/** Which envelopes garbage collection is told to heed: files, and folders of them. */
import { readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isHoldfastError, UsageError } from "../core/errors/errors.js";
import { namedDigests } from "../core/media/media-references.js";
import { readEnvelopeText } from "./read-envelope-text.js";

export interface EnvelopeReferences {
  readonly digests: ReadonlySet<string>;
  /** How many envelopes were read. */
  readonly count: number;
}

/**
 * What all envelopes at these paths name. In a folder, and in those below it, every `.json` file is one.
 *
 * @throws UsageError for what is not there and for a folder without any, and what `fromJson` throws for a file that is no sound
 * envelope: what it needs would not be known.
 */
export async function referencesOfEnvelopes(
  paths: readonly string[],
  cwd: string,
): Promise<EnvelopeReferences> {
  const digests = new Set<string>();
  const files = new Set<string>();
  for (const path of paths) for (const file of await envelopeFiles(path, cwd)) files.add(file);
  for (const file of files) {
    const { envelope } = await readEnvelopeText(file, cwd);
    for (const digest of namedDigests(envelope)) digests.add(digest);
  }
  return { digests, count: files.size };
}

async function envelopeFiles(path: string, cwd: string): Promise<readonly string[]> {
  const whole = resolve(cwd, path);
  try {
    if (!(await stat(whole)).isDirectory()) return [whole];
    const files = await jsonFilesIn(whole, new Set());
    if (files.length > 0) return files;
    throw new UsageError(`The folder ${path} holds no .json file: give the folder of the envelopes.`);
  } catch (error) {
    if (isHoldfastError(error)) throw error;
    const { code, path: at = path } = error as NodeJS.ErrnoException;
    const wrong = code === "ENOENT" ? `${at} does not exist` : `${at} cannot be read (${code ?? "unknown"})`;
    throw new UsageError(`${wrong}: check the path.`, { cause: error });
  }
}

/** Links are followed: an envelope behind one needs its media as any other. */
async function jsonFilesIn(folder: string, visited: Set<string>): Promise<readonly string[]> {
  const real = await realpath(folder);
  if (visited.has(real)) return [];
  visited.add(real);
  const files: string[] = [];
  for (const name of (await readdir(real)).sort()) {
    const path = join(real, name);
    const found = await stat(path);
    if (found.isDirectory()) files.push(...(await jsonFilesIn(path, visited)));
    // A pipe would be waited for.
    else if (found.isFile() && name.toLowerCase().endsWith(".json")) files.push(path);
  }
  return files;
}
