/** Signatures of thinking blocks that can be checked: each belongs to its reasoning, word for word. */
import { createHash } from "node:crypto";

const PREFIX = "c2ltdWxhdGVk";

export function signatureOf(thinking: string): string {
  return PREFIX + createHash("sha256").update(thinking).digest("base64url");
}

/** False only for a signature of the simulator that stands on other reasoning. */
export function signatureFits(signature: string, thinking: string): boolean {
  return !signature.startsWith(PREFIX) || thinking === "" || signature === signatureOf(thinking);
}
