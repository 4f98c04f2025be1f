/** A conversion without a server: text that the file only names is read from a store, where one is found. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { convertWithMedia } from "../connection/convert-with-media.js";
import { loadEnvFile } from "../connection/env-file.js";
import { openMediaStore } from "../connection/open-media-store.js";
import { resolveLocalSettings } from "../connection/settings.js";
import type { ConversionTarget } from "../core/envelope/convert-envelope.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import type { Surroundings } from "./command.js";
import { count } from "./wording.js";

const MOST_NAMED = 3;

export interface ReadingOptions {
  /** The store that is named; the working store without it. */
  readonly folder: string | undefined;
  readonly convert: boolean;
}

/**
 * The envelope converted. Nothing is written. Text that cannot be read is told in one line.
 *
 * @throws UsageError for a store that is no folder, SessionCompatibilityError
 */
export async function convertReading(
  envelope: Envelope,
  target: ConversionTarget,
  { folder, convert }: ReadingOptions,
  { terminal, env, cwd }: Surroundings,
): Promise<Envelope> {
  if (folder !== undefined) assertFolder(folder, cwd);
  loadEnvFile(cwd, env);
  const options = folder === undefined ? {} : { mediaStore: resolve(cwd, folder) };
  const { mediaStore: location } = resolveLocalSettings({ env, cwd, options });
  const missing: string[] = [];
  const get = async (key: string): Promise<Uint8Array | undefined> => {
    const bytes = await openMediaStore(location)
      .get(key)
      .catch(() => undefined);
    if (bytes === undefined) missing.push(key);
    return bytes;
  };
  const converted = await convertWithMedia(envelope, target, { store: { get }, convert });
  if (missing.length > 0) terminal.warn(missingLine(missing, location, folder !== undefined));
  return converted;
}

function missingLine(keys: readonly string[], location: string, isNamed: boolean): string {
  const named = keys.slice(0, MOST_NAMED).map((key) => `$media:${key}`);
  const more = keys.length > MOST_NAMED ? `, and ${keys.length - MOST_NAMED} more` : "";
  const remedy = isNamed ? "is it the right store?" : "name the right store with --media-store.";
  return `${count(keys.length, "text file")} cannot be read in ${location} (${named.join(", ")}${more}): ${remedy}`;
}

function assertFolder(folder: string, cwd: string): void {
  const there = statSync(resolve(cwd, folder), { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  const wrong = there === undefined ? "does not exist" : "is no folder";
  throw new UsageError(
    `The media store ${folder} ${wrong}: give the path of the folder that holds the files.`,
  );
}
