/** A worker that cannot reach the payload store would hang every conversation that needs it, so it is tried at the start. */
import { createHash } from "node:crypto";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";

/** @throws UsageError naming the setting when a blob cannot be written and read back. */
export async function probePayloadStore(store: MediaStore, location: string): Promise<void> {
  const bytes = new TextEncoder().encode("holdfast payload store probe\n");
  const key = `${createHash("sha256").update(bytes).digest("hex")}.payload`;
  try {
    await store.put(key, bytes);
    const read = await store.get(key);
    if (read === undefined || Buffer.compare(read, bytes) !== 0)
      throw new Error("what was written did not come back");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `The payload store ${location} cannot be used (${reason}): set HOLDFAST_PAYLOAD_STORE to a folder that this worker may read and write.`,
    );
  }
}
