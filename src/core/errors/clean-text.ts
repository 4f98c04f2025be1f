/** Text that came from outside, made fit to be shown and stored: on one line, without secrets, bounded in bytes. */

const REDACTED = "[redacted]";

/** Longer input is cut before it is searched, so that a body of megabytes costs nothing. */
const SEARCHED_CHARACTERS = 16 * 1024;

const SECRET_HEADER =
  /\b((?:proxy-)?authorization|x-api-key|x-goog-api-key|api[_-]?key)(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&}]+/gi;
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi;
const KEY_IN_URL = /([?&](?:key|api_key|access_token)=)[^\s&"']+/gi;
/** The forms of the vendors' keys, also half masked with asterisks as OpenAI quotes them. */
const KEYS = /\b(?:sk-[A-Za-z0-9_*-]{6,}|fw_[A-Za-z0-9_*]{6,}|AIza[A-Za-z0-9_*-]{6,})/g;

/** The text without API keys, authorization headers and the given secrets. */
export function scrubSecrets(text: string, secrets: readonly (string | undefined)[] = []): string {
  let scrubbed = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= 6) scrubbed = scrubbed.replaceAll(secret, REDACTED);
  }
  return scrubbed
    .replace(SECRET_HEADER, `$1$2${REDACTED}`)
    .replace(BEARER, `$1 ${REDACTED}`)
    .replace(KEY_IN_URL, `$1${REDACTED}`)
    .replace(KEYS, REDACTED);
}

/** The longest beginning of the text whose UTF-8 fits; a cut text ends in an ellipsis and never in half a character. */
export function boundText(text: string, maxBytes: number): string {
  const encoder = new TextEncoder();
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  if (read === text.length) return text;
  const kept = encoder.encodeInto(text, new Uint8Array(Math.max(0, maxBytes - 3)));
  return `${text.slice(0, kept.read)}…`;
}

/** One line of at most `maxBytes` of UTF-8, without secrets. */
export function cleanText(
  text: string,
  maxBytes: number,
  secrets: readonly (string | undefined)[] = [],
): string {
  const line = scrubSecrets(text.slice(0, SEARCHED_CHARACTERS), secrets)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return boundText(line.toWellFormed(), maxBytes);
}
