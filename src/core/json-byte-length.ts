/** How long a value's JSON is, without writing it. */

const SHORT_ESCAPES = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** UTF-8 bytes of `JSON.stringify(text)`, quotes included. A lone surrogate is counted as its `\udXXX` escape. */
export function jsonStringByteLength(text: string): number {
  let bytes = 2;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += code >= 0x20 && code !== 0x22 && code !== 0x5c ? 1 : escapeLength(code);
    else if (code < 0x800) bytes += 2;
    else if (code < 0xd800 || code > 0xdfff) bytes += 3;
    else if (code < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 6;
  }
  return bytes;
}

/** The same for a text whose UTF-8 these bytes are, without the quotes. Nothing is decoded for it. */
export function jsonTextByteLength(utf8: Uint8Array): number {
  let bytes = utf8.length;
  for (const code of utf8) {
    if (code < 0x20 || code === 0x22 || code === 0x5c) bytes += escapeLength(code) - 1;
  }
  return bytes;
}

function escapeLength(code: number): number {
  return code >= 0x20 || SHORT_ESCAPES.has(code) ? 2 : 6;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * UTF-8 bytes of `JSON.stringify(value)`, exactly, for plain data: members that are undefined are left out, undefined
 * in an array and numbers that are not finite count as `null`. A value that has no JSON at all counts as 0.
 */
export function jsonByteLength(value: unknown): number {
  if (typeof value === "string") return jsonStringByteLength(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value).length : 4;
  if (typeof value === "boolean") return value ? 4 : 5;
  if (value === null) return 4;
  if (typeof value !== "object") return 0;
  return Array.isArray(value) ? arrayByteLength(value) : objectByteLength(value);
}

function arrayByteLength(values: readonly unknown[]): number {
  let bytes = values.length === 0 ? 2 : values.length + 1;
  for (const value of values) bytes += jsonByteLength(value) || 4;
  return bytes;
}

function objectByteLength(value: object): number {
  let bytes = 1;
  for (const [key, member] of Object.entries(value)) {
    const length = jsonByteLength(member);
    if (length > 0) bytes += jsonStringByteLength(key) + length + 2;
  }
  return bytes === 1 ? 2 : bytes;
}
