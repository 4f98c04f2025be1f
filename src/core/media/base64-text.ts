/** Text as base64 and back, pure: wires that carry text attachments as plain text keep the same bytes as all others. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(128);
for (let value = 0; value < 64; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

/** How many characters are put together before they join the text, so that megabytes do not become as many strings. */
const CHUNK_BYTES = 3 * 4096;

/** Base64 of the text's UTF-8. */
export function textToBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    chunks.push(encode(bytes.subarray(start, start + CHUNK_BYTES)));
  }
  return chunks.join("");
}

/** The text whose UTF-8 the base64 holds; bytes that are none become U+FFFD. A byte order mark is kept. */
export function base64ToText(base64: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(decode(base64));
}

function encode(bytes: Uint8Array): string {
  let encoded = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second, third] = [bytes[index], bytes[index + 1], bytes[index + 2]];
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    encoded += character(group >> 18) + character(group >> 12);
    encoded += second === undefined ? "=" : character(group >> 6);
    encoded += third === undefined ? "=" : character(group);
  }
  return encoded;
}

function character(bits: number): string {
  return ALPHABET.charAt(bits & 63);
}

function decode(base64: string): Uint8Array {
  const digits = base64.replace(/=+$/, "");
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let group = 0;
  let written = 0;
  for (let index = 0; index < digits.length; index += 1) {
    group = ((group << 6) | (VALUES[digits.charCodeAt(index)] ?? 0)) & 0xffffff;
    const position = index % 4;
    if (position === 0) continue;
    bytes[written] = group >> (6 - position * 2);
    written += 1;
  }
  return bytes;
}
