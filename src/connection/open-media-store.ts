/** A media store from its setting: the absolute path of a folder, or `s3://bucket/prefix`. */
import { isAbsolute } from "node:path";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { DirectoryMediaStore } from "../media-stores/directory-media-store.js";
import { isS3Url } from "../media-stores/s3-location.js";
import { S3MediaStore } from "../media-stores/s3-media-store.js";

/** Nothing is made or connected before the first call. @throws UsageError for any other location. */
export function openMediaStore(location: string): MediaStore {
  if (isAbsolute(location)) return new DirectoryMediaStore(location);
  if (isS3Url(location)) return S3MediaStore.fromUrl(location);
  throw new UsageError(
    `${location} is not a media store: give the absolute path of a folder, or s3://bucket/prefix.`,
  );
}
