/** A media store from its setting: today a folder. */
import { isAbsolute } from "node:path";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { DirectoryMediaStore } from "../media-stores/directory-media-store.js";

/** @throws UsageError for a location that is no absolute folder. */
export function openMediaStore(location: string): MediaStore {
  if (isAbsolute(location)) return new DirectoryMediaStore(location);
  throw new UsageError(`${location} is not a media store: give the absolute path of a folder.`);
}
