/** About how many tokens a text is, without any provider's tokeniser. */
import type { JsonValue } from "../core/json.js";

const BYTES_PER_TOKEN = 4;
/** Signatures, encrypted reasoning and media markers: providers count them otherwise than by their length, if at all. */
const OPAQUE = /^[\w+/=:.$-]{64,}$/;

/** Four bytes of text a token. Keys, numbers and what is opaque count as nothing, so that it is rather too few. */
export function estimateTokens(value: JsonValue): number {
  let bytes = 0;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string") bytes += OPAQUE.test(next) ? 0 : Buffer.byteLength(next);
    else if (typeof next === "object" && next !== null)
      for (const member of Object.values(next)) if (member !== undefined) open.push(member);
  }
  return Math.floor(bytes / BYTES_PER_TOKEN);
}
