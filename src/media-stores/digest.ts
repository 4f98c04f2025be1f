/** Digests of blobs, computed off the event loop. */
import { webcrypto } from "node:crypto";

/** Hex SHA-256. */
export async function sha256OfBytes(bytes: Uint8Array): Promise<string> {
  const digest = await webcrypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return Buffer.from(digest).toString("hex");
}
