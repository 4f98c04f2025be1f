/** A media store from its setting: the absolute path of a folder, `s3://bucket/prefix`, or the name of a registered one. */
import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { didYouMean } from "../core/did-you-mean.js";
import { cleanText } from "../core/errors/clean-text.js";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { DirectoryMediaStore } from "../media-stores/directory-media-store.js";
import { isS3Url } from "../media-stores/s3-location.js";
import { S3MediaStore } from "../media-stores/s3-media-store.js";
import { guardedStore } from "./guarded-store.js";

/** Stores of the user's own, by the name under which agents and saves name them. */
export type NamedStores = Readonly<Record<string, MediaStore>>;

/** Nothing is made or connected before the first call. @throws UsageError for any other location. */
export function openMediaStore(location: string): MediaStore {
  if (isAbsolute(location)) return new DirectoryMediaStore(location);
  if (isS3Url(location)) return S3MediaStore.fromUrl(location);
  throw new UsageError(
    `${location} is not a media store: give the absolute path of a folder, or s3://bucket/prefix.`,
  );
}

/** As a worker reads it from an agent. @throws UsageError for a name under which no store is registered. */
export function openNamedStore(location: string, stores: NamedStores): MediaStore {
  const named = Object.hasOwn(stores, location) ? stores[location] : undefined;
  if (named !== undefined) return guardedStore(named, JSON.stringify(location));
  if (isAbsolute(location) || isS3Url(location)) return openMediaStore(location);
  throw unknownName(location);
}

function unknownName(location: string): UsageError {
  const name = JSON.stringify(cleanText(location, 200));
  return new UsageError(
    `No media store named ${name} is registered here: give it to connect and to createWorker as stores: { ${name}: … }, on the command line in a module (--module).`,
  );
}

const STORE_NAME = /^[A-Za-z0-9][\w.-]*$/;
/** A scheme has two letters or more: `C:/media` is a folder of Windows. */
const OTHER_PLACE = /^[a-z][a-z0-9+.-]+:\//i;

/**
 * The location as it means the same everywhere: a registered name, a URL, or the absolute path of a folder.
 *
 * @throws UsageError for a URL of another service, and for a name that is nearly a registered one and no folder.
 */
export function storeLocation(
  location: string,
  { stores, cwd }: { readonly stores: NamedStores; readonly cwd: string },
): string {
  if (Object.hasOwn(stores, location) || isS3Url(location)) return location;
  if (OTHER_PLACE.test(location))
    throw new UsageError(
      `${cleanText(location, 200)} is no media store that is known here: give a folder, s3://bucket/prefix, or the name of a store of your own (stores: { archive: … }).`,
    );
  const path = resolve(cwd, location);
  const guess = STORE_NAME.test(location) ? didYouMean(location, Object.keys(stores)) : "";
  if (guess !== "" && !existsSync(path))
    throw new UsageError(
      `No media store named ${JSON.stringify(location)} is registered${guess} A new folder of that name is ${JSON.stringify(`./${location}`)}.`,
    );
  return path;
}

/**
 * A location that somebody else wrote, into an envelope say: it must mean here what it meant there.
 *
 * @throws UsageError for a name under which no store is registered here.
 */
export function assertStoreKnown(location: string, stores: NamedStores): void {
  if (Object.hasOwn(stores, location) || isAbsolute(location) || isS3Url(location)) return;
  throw unknownName(location);
}

/** For callers without types. @throws UsageError for a name that looks like a location, and for what is no store. */
export function namedStores(stores: unknown): NamedStores {
  if (stores === undefined) return {};
  if (typeof stores !== "object" || stores === null || Array.isArray(stores))
    throw new UsageError("`stores` is an object of media stores by name: { archive: new MyStore() }.");
  for (const [name, store] of Object.entries(stores)) {
    if (!STORE_NAME.test(name))
      throw new UsageError(
        `${JSON.stringify(name)} is no name of a media store: it begins with a letter or digit and has A-Z a-z 0-9 _ . - only.`,
      );
    if (!isMediaStore(store))
      throw new UsageError(
        `stores.${name} is no media store: it needs the methods put(key, bytes) and get(key).`,
      );
  }
  return stores as NamedStores;
}

/** By its shape: users write their own. */
export function isMediaStore(value: unknown): value is MediaStore {
  return (
    typeof value === "object" &&
    value !== null &&
    "put" in value &&
    typeof value.put === "function" &&
    "get" in value &&
    typeof value.get === "function"
  );
}
