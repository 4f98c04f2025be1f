/** Data URLs (RFC 2397) whose body is base64: the form in which OpenAI's wires carry media. */

import { keyOf } from "./marker.js";
import { mimeTypeOfExtension } from "./mime.js";

export interface DataUrl {
  /** Everything up to and including the comma. */
  readonly prefix: string;
  /** Lower case, without parameters; what the bytes begin as, or `text/plain`, where the URL names none. */
  readonly mime_type: string;
  /** The bare base64, or a marker that stands for it. */
  readonly data: string;
}

/** The parts of a base64 data URL; undefined for every other URL. */
export function splitDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(",");
  if (comma === -1) return undefined;
  const header = url.slice(0, comma).toLowerCase();
  if (!header.startsWith("data:") || !header.endsWith(";base64")) return undefined;
  const type = (header.slice("data:".length).split(";")[0] ?? "").trim();
  const data = url.slice(comma + 1);
  return { prefix: url.slice(0, comma + 1), mime_type: type === "" ? typeOfContent(data) : type, data };
}

/** How the base64 of files begins that are told by their first bytes. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD[dl]h/, "image/gif"],
  [/^UklGR.{6}XRUJQ/s, "image/webp"],
  [/^JVBERi0/, "application/pdf"],
];

function typeOfContent(data: string): string {
  const extension = keyOf(data)?.split(".")[1];
  if (extension !== undefined) return mimeTypeOfExtension(extension) ?? "text/plain";
  return BEGINNINGS.find(([beginning]) => beginning.test(data))?.[1] ?? "text/plain";
}
