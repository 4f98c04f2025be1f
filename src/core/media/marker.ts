/** Media keys and the markers that stand for bytes in a history. Keys from an envelope are not to be trusted. */
import { UsageError } from "../errors/errors.js";
import { extensionOf } from "./mime.js";

const KEY = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;
const PREFIX = "$media:";
const DIGEST_LENGTH = 64;

/** True for `<64 hex of the SHA-256>.<1 to 8 of a-z 0-9>`, the only form that ever reaches a store. */
export function isMediaKey(text: string): boolean {
  return KEY.test(text);
}

/** True for `$media:<key>`. Says nothing about whether the text stands in a media position. */
export function isMarker(text: string): boolean {
  return keyOf(text) !== undefined;
}

/** True for what looks like a marker and holds no key: it stands for nothing, and is no base64. */
export function isMalformedMarker(text: string): boolean {
  return text.startsWith(PREFIX) && !isMarker(text);
}

/** The key that a marker holds, or undefined for any other text. */
export function keyOf(marker: string): string | undefined {
  if (!marker.startsWith(PREFIX)) return undefined;
  const key = marker.slice(PREFIX.length);
  return isMediaKey(key) ? key : undefined;
}

/** @throws UsageError for a text that is not a media key. */
export function markerFor(key: string): string {
  assertMediaKey(key);
  return PREFIX + key;
}

/** The key of bytes, from the hex SHA-256 of them and their type. @throws UsageError for another digest. */
export function mediaKey(sha256: string, mimeType: string): string {
  const key = `${sha256}.${extensionOf(mimeType)}`;
  assertMediaKey(key);
  return key;
}

/** The hex SHA-256 in a key, by which the media table is kept. */
export function digestOfKey(key: string): string {
  return key.slice(0, DIGEST_LENGTH);
}

/** @throws UsageError for a text that is not a media key. */
export function assertMediaKey(key: string): void {
  if (!isMediaKey(key)) {
    throw new UsageError(
      `${JSON.stringify(key.slice(0, 100))} is not a media key: use <64 hex digits of the SHA-256>.<extension of 1 to 8 of a-z 0-9>.`,
    );
  }
}
