/** Whether the two stores can be written and read from here. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { openMediaStore } from "../connection/open-media-store.js";
import { openPayloadStore } from "../connection/open-payload-store.js";
import { probeAndRemove, probeStore } from "../connection/probe-store.js";
import type { LocalSettings } from "../connection/settings.js";
import { bad, type Finding, good } from "./finding.js";

const PROBE = "holdfast doctor probe";

export async function checkStores(settings: LocalSettings): Promise<readonly Finding[]> {
  return [
    await checkStore({
      name: "media store",
      location: settings.mediaStore,
      open: () => {
        const store = openMediaStore(settings.mediaStore);
        return () => probeAndRemove(store, PROBE);
      },
      variable: "HOLDFAST_MEDIA_STORE",
    }),
    await checkStore({
      name: "payload store",
      location: settings.payloadStore,
      open: () => {
        const store = openPayloadStore(settings);
        return async () => void (await probeStore(store, `${PROBE}\n`, "payload"));
      },
      variable: "HOLDFAST_PAYLOAD_STORE",
    }),
  ];
}

interface CheckedStore {
  readonly name: string;
  readonly location: string;
  /** The probe resolves to the key of what it had to leave, where somebody could be rid of it. */
  readonly open: () => () => Promise<string | undefined>;
  readonly variable: string;
}

async function checkStore({ name, location, open, variable }: CheckedStore): Promise<Finding> {
  try {
    const probe = open();
    if (isAbsolute(location) && !isThere(location))
      return good(name, `${location} (not there yet; ${makeable(location)})`);
    const left = await probe();
    const beside = left === undefined ? "" : `; the probe ${left} could not be deleted`;
    return good(name, `${location} (written and read${beside})`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return bad(
      name,
      `${location} cannot be used (${reason})`,
      `set ${variable} to a folder or an s3:// URL that clients and workers may read and write`,
    );
  }
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
