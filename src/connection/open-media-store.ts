/** A media store from its setting: the absolute path of a folder, `s3://bucket/prefix`, or the name of a registered one. */
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { DirectoryMediaStore } from "../media-stores/directory-media-store.js";
import { isS3Url } from "../media-stores/s3-location.js";
import { S3MediaStore } from "../media-stores/s3-media-store.js";

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
  if (named !== undefined) return named;
  if (isAbsolute(location) || isS3Url(location)) return openMediaStore(location);
  throw new UsageError(
    `No media store named ${JSON.stringify(location)} is registered here: give it to connect and to createWorker as stores: { ${JSON.stringify(location)}: … }.`,
  );
}

/** The location as it means the same everywhere: a registered name, a URL, or the absolute path of a folder. */
export function storeLocation(
  location: string,
  { stores, cwd }: { readonly stores: NamedStores; readonly cwd: string },
): string {
  return Object.hasOwn(stores, location) || isS3Url(location) ? location : resolve(cwd, location);
}

const STORE_NAME = /^[A-Za-z0-9][\w.-]*$/;

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
