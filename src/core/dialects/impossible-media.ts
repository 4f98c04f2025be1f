/** Media of which every request would be refused: nothing in them says what is to be sent. */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import { splitDataUrl } from "../media/data-url.js";

export interface ImpossibleMedium {
  /** What is wrong, and where, as a dotted path. */
  readonly path: string;
  readonly expected: string;
  readonly mime_type: string;
  /** Where a text can stand for it: a path for `withMediaText`. */
  readonly slot: string;
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/;
const NOT_EITHER_BASE64 = /[^A-Za-z0-9+/_-]/;

/** Markers are judged by their blobs. */
const isMarkerLike = (text: string): boolean => text.startsWith("$media:");

/** Base64 as most services decode it: the standard alphabet, padded. */
export function isStrictBase64(data: JsonValue | undefined): boolean {
  if (typeof data !== "string" || data === "") return false;
  if (isMarkerLike(data)) return true;
  return data.length % 4 === 0 && !NOT_BASE64.test(data.replace(/={1,2}$/, ""));
}

/** Base64 in either alphabet, padded or not. */
export function isLooseBase64(data: JsonValue | undefined): boolean {
  if (typeof data !== "string" || data === "") return false;
  if (isMarkerLike(data)) return true;
  const bare = data.replace(/={1,2}$/, "");
  return bare.length % 4 !== 1 && !NOT_EITHER_BASE64.test(bare);
}

/** False for a data URL that is not base64, or is damaged; an address is for the service to try. */
export function isPossibleUrl(url: string): boolean {
  if (!/^data:/i.test(url)) return true;
  const split = splitDataUrl(url);
  return split !== undefined && isStrictBase64(split.data);
}

export const isText = (value: JsonValue | undefined): value is string =>
  typeof value === "string" && value !== "";

/** The objects of a list with their paths; none of anything else. */
export function partsAt(
  list: JsonValue | undefined,
  path: string,
): readonly (readonly [part: JsonObject, path: string])[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).flatMap((part, index) =>
    isJsonObject(part) ? [[part, `${path}.${index}`] as const] : [],
  );
}
