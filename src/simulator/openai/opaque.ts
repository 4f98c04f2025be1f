/** The opaque pieces of a simulated response: ids that tell whether reasoning belongs to them, and its encrypted text. */
const ENCRYPTED_PREFIX = "gAAAAAsim";

export function reasoningId(seed: string): string {
  return `rs_sim${seed}`;
}

/** The `r` marks an item that was made together with reasoning, and may not come back without it. */
export function itemId(prefix: "msg" | "fc", seed: string, withReasoning: boolean): string {
  return `${prefix}_sim${withReasoning ? "r" : ""}${seed}`;
}

/** The id of the reasoning that must stand before this item; undefined where none must. */
export function requiredReasoning(id: string): string | undefined {
  const seed = /^(?:msg|fc)_simr([0-9a-f]{24})/.exec(id)?.[1];
  return seed === undefined ? undefined : reasoningId(seed);
}

export function encryptReasoning(seed: string, text: string): string {
  return ENCRYPTED_PREFIX + Buffer.from(`${seed} ${text}`).toString("base64url");
}

/** The service's own tokens all begin alike; anything else cannot be decrypted. */
export function isEncrypted(value: string): boolean {
  return /^gAAAA[A-Za-z0-9_=-]+$/.test(value);
}
