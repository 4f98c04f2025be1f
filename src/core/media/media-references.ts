/** Which blobs a value names, wherever in it: markers, references, and the keys of media tables. */
import { digestOfKey, isMediaKey } from "./marker.js";

const MARKER_START = "$media:";
const MARKERS = /\$media:([0-9a-f]{64})\.[a-z0-9]{1,8}/g;
const DIGEST = /^[0-9a-f]{64}$/;
const KEY_LENGTH = 64 + 1 + 8;

/**
 * The hex SHA-256 of every blob that the JSON value names. Rather one too many than one too few: a marker that is only text
 * counts as well, and whoever deletes the rest deletes nothing that is needed.
 */
export function namedDigests(value: unknown): ReadonlySet<string> {
  const digests = new Set<string>();
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string") addNamed(next, digests);
    else if (typeof next === "object" && next !== null) {
      for (const [key, child] of Object.entries(next)) {
        if (DIGEST.test(key)) digests.add(key);
        rest.push(child);
      }
    }
  }
  return digests;
}

function addNamed(text: string, digests: Set<string>): void {
  if (text.length <= KEY_LENGTH && isMediaKey(text)) digests.add(digestOfKey(text));
  else if (text.includes(MARKER_START))
    for (const [, digest = ""] of text.matchAll(MARKERS)) digests.add(digest);
}
