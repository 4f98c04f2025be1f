/** Whether the two stores can be written and read from here. */
import { createHash } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { openMediaStore } from "../connection/open-media-store.js";
import type { LocalSettings } from "../connection/settings.js";
import { bad, type Finding, good } from "./finding.js";

export async function checkStores(settings: LocalSettings): Promise<readonly Finding[]> {
  return [
    await checkStore("media store", settings.mediaStore, "txt", "HOLDFAST_MEDIA_STORE"),
    await checkStore("payload store", settings.payloadStore, "payload", "HOLDFAST_PAYLOAD_STORE"),
  ];
}

async function checkStore(
  name: string,
  location: string,
  extension: string,
  variable: string,
): Promise<Finding> {
  try {
    if (isAbsolute(location) && !isThere(location))
      return good(name, `${location} (not there yet; ${makeable(location)})`);
    await probe(location, extension);
    return good(name, `${location} (written and read)`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return bad(
      name,
      `${location} cannot be used (${reason})`,
      `set ${variable} to a folder that clients and workers may read and write`,
    );
  }
}

/** Writes the same few bytes each time, and removes them where the store can. */
async function probe(location: string, extension: string): Promise<void> {
  const store = openMediaStore(location);
  const bytes = new TextEncoder().encode("holdfast doctor probe\n");
  const key = `${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
  await store.put(key, bytes);
  const read = await store.get(key);
  await store.delete?.(key);
  if (read === undefined || Buffer.compare(read, bytes) !== 0)
    throw new Error("what was written did not come back");
}

/** Looking must not make folders: the nearest one that is there has to be writable. */
function makeable(location: string): string {
  let folder = dirname(location);
  while (!isThere(folder)) folder = dirname(folder);
  accessSync(folder, constants.W_OK);
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is no folder`);
  return "made at the first use";
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
