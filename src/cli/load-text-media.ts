/** For a conversion without a server: the bytes of text files, which another provider may take only as text. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { loadEnvFile } from "../connection/env-file.js";
import { openMediaStore } from "../connection/open-media-store.js";
import { resolveLocalSettings } from "../connection/settings.js";
import { inlineTextMedia, textMarkers } from "../connection/store-media.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import type { Surroundings } from "./command.js";
import { count } from "./wording.js";

const MOST_NAMED = 3;

/**
 * The envelope with the text of its markers, from the folder that is named, else from the working store. Nothing is written.
 * What cannot be read stays a marker and is told in one line.
 *
 * @throws UsageError for what is no folder.
 */
export async function loadTextMedia(
  envelope: Envelope,
  folder: string | undefined,
  { terminal, env, cwd }: Surroundings,
): Promise<Envelope> {
  if (folder !== undefined) assertFolder(folder, cwd);
  if (textMarkers(envelope).size === 0) return envelope;
  loadEnvFile(cwd, env);
  const options = folder === undefined ? {} : { mediaStore: resolve(cwd, folder) };
  const { mediaStore: location } = resolveLocalSettings({ env, cwd, options });
  const store = openMediaStore(location);
  const loaded = await inlineTextMedia(envelope, {
    put: () => Promise.reject(new Error("The store is only read.")),
    get: (key) => store.get(key).catch(() => undefined),
  });
  const missing = [...textMarkers(loaded)];
  if (missing.length > 0) terminal.warn(missingLine(missing, location, folder !== undefined));
  return loaded;
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
