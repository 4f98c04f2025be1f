/** Base64 (RFC 4648 §4) by its lengths and its form; decoding it is left to who has the means. */

const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** How many characters `bytes` bytes take. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** How many bytes a base64 text stands for, padded or not. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor(((base64.length - padding) * 3) / 4);
}

/**
 * True where decoding and encoding again gives the very same text: the standard alphabet, padded, nothing between, the
 * unused bits zero. Only such a text may be replaced by a marker, for only it comes back as it was.
 */
export function isCanonicalBase64(text: string): boolean {
  if (text === "" || text.length % 4 !== 0) return false;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const end = text.length - padding;
  // Looked for, not matched: an expression that matches tens of megabytes overflows its stack.
  if (NOT_BASE64.test(text.slice(0, end))) return false;
  const unusedBits = padding === 2 ? 0b1111 : padding === 1 ? 0b11 : 0;
  return (sextet(text.charCodeAt(end - 1)) & unusedBits) === 0;
}

/** The value of a character, or -1 for one outside the alphabet. */
function sextet(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b) return 62;
  return code === 0x2f ? 63 : -1;
}
