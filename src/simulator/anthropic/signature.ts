/** Signatures of thinking blocks that can be checked: each belongs to its reasoning, word for word, and to its model. */
import { createHash } from "node:crypto";

const PREFIX = "c2ltdWxhdGVk";
const MODEL_LENGTH = 16;

export function signatureOf(thinking: string, model: string): string {
  return PREFIX + digestOf(snapshotless(model)).slice(0, MODEL_LENGTH) + digestOf(thinking);
}

/** False only for a signature of the simulator that stands on other reasoning, or comes from another model. */
export function signatureFits(signature: string, thinking: string, model: string): boolean {
  if (!signature.startsWith(PREFIX)) return true;
  const whole = signatureOf(thinking, model);
  return thinking === ""
    ? signature.startsWith(whole.slice(0, PREFIX.length + MODEL_LENGTH))
    : signature === whole;
}

function snapshotless(model: string): string {
  return model.replace(/-\d{8}$/, "");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
