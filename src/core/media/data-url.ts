/** Data URLs (RFC 2397) whose body is base64: the form in which OpenAI's wires carry media. */

export interface DataUrl {
  /** Everything up to and including the comma. */
  readonly prefix: string;
  /** Lower case, without parameters; `text/plain` where the URL names none. */
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
  return {
    prefix: url.slice(0, comma + 1),
    mime_type: type === "" ? "text/plain" : type,
    data: url.slice(comma + 1),
  };
}
