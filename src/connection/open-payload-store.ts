/** The store of Temporal's external payloads: a place of its own, from which nothing is ever deleted. */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { isS3Url, parseS3Url } from "../media-stores/s3-location.js";
import { openMediaStore } from "./open-media-store.js";

/** What of a media store a payload store may do: a payload that is deleted makes its workflow unreplayable. */
export type PayloadStore = Pick<MediaStore, "put" | "get">;

export interface StoreLocations {
  readonly mediaStore: string;
  readonly payloadStore: string;
}

/** @throws UsageError where both stores are one place, and for a location that is no store. */
export function openPayloadStore(locations: StoreLocations): PayloadStore {
  assertStoresApart(locations);
  const store = openMediaStore(locations.payloadStore);
  return {
    put: (key, bytes, options) => store.put(key, bytes, options),
    get: (key, options) => store.get(key, options),
  };
}

/** @throws UsageError where both are one place: garbage collection of media would take payloads for garbage. */
export function assertStoresApart({ mediaStore, payloadStore }: StoreLocations): void {
  if (!isSamePlace(mediaStore, payloadStore)) return;
  throw new UsageError(
    `HOLDFAST_MEDIA_STORE and HOLDFAST_PAYLOAD_STORE are both ${payloadStore} and must differ: give each a folder or a prefix of its own.`,
  );
}

/** Two ways to name one folder, or one prefix of a bucket, are one place. */
export function isSamePlace(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(location: string): string {
  if (!isS3Url(location)) return realPathOf(location);
  const { bucket, prefix, endpoint = "" } = parseS3Url(location);
  return `s3://${bucket}/${prefix} ${endpoint.replace(/\/+$/, "")}`;
}

/** Through links, also where the folder itself is not there yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}
