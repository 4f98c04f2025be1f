/** Which blobs a value names, wherever in it: markers, references, and the keys of media tables. */
import { digestOfKey, isMediaKey } from "./marker.js";

const MARKER_START = "$media:";
const MARKERS = /\$media:([0-9a-f]{64}\.[a-z0-9]{1,8})/g;
const DIGEST = /^[0-9a-f]{64}$/;
const KEY_LENGTH = 64 + 1 + 8;

/**
 * The hex SHA-256 of every blob that the JSON value names. Rather one too many than one too few: a marker that is only text
 * counts as well, and whoever deletes the rest deletes nothing that is needed.
 */
export function namedDigests(value: unknown): ReadonlySet<string> {
  const { keys, digests } = named(value);
  return new Set([...digests, ...[...keys].map(digestOfKey)]);
}

/** The keys in markers and references in the JSON value, in places of media and elsewhere. */
export function namedKeys(value: unknown): ReadonlySet<string> {
  return named(value).keys;
}

interface Named {
  readonly keys: Set<string>;
  /** Keys of a media table. */
  readonly digests: Set<string>;
}

function named(value: unknown): Named {
  const found: Named = { keys: new Set(), digests: new Set() };
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string") addKeys(next, found.keys);
    else if (typeof next === "object" && next !== null) {
      for (const [key, child] of Object.entries(next)) {
        if (DIGEST.test(key)) found.digests.add(key);
        rest.push(child);
      }
    }
  }
  return found;
}

function addKeys(text: string, keys: Set<string>): void {
  if (text.length <= KEY_LENGTH && isMediaKey(text)) keys.add(text);
  else if (text.includes(MARKER_START)) for (const [, key = ""] of text.matchAll(MARKERS)) keys.add(key);
}
