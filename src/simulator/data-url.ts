/** A `data:` URL with base64 in it, taken apart; undefined for any other text. */
export interface DataUrl {
  readonly mediaType: string;
  readonly data: string;
}

const HEAD = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

export function parseDataUrl(url: string): DataUrl | undefined {
  // Only the head is matched: the data can be very long.
  const head = HEAD.exec(url.slice(0, 200));
  if (head === null) return undefined;
  return { mediaType: (head[1] ?? "").toLowerCase(), data: url.slice(head[0].length) };
}
