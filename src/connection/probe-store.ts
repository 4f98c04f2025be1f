/** Whether a store takes bytes and gives them back, tried with the same few each time. */
import { createHash } from "node:crypto";
import type { PayloadStore } from "./open-payload-store.js";

/** A start, or somebody at a terminal, waits for the answer. */
const PATIENCE_MS = 30_000;

/** The probe stays where it is: another process may be probing too. @throws an Error that says why the store cannot be used. */
export async function probeStore(store: PayloadStore, text: string, extension: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const key = `${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    await store.put(key, bytes, { signal });
    const read = await store.get(key, { signal });
    if (read === undefined || Buffer.compare(read, bytes) !== 0)
      throw new Error("what was written did not come back");
  } catch (error) {
    if (signal.aborted) throw new Error(`it has not answered for ${PATIENCE_MS / 1000} s`);
    throw error;
  }
}
