/** A worker that cannot reach the payload store would hang every conversation that needs it, so it is tried at the start. */
import type { PayloadStore } from "../connection/open-payload-store.js";
import { probeStore } from "../connection/probe-store.js";
import { UsageError } from "../core/errors/errors.js";

/** @throws UsageError naming the setting when a blob cannot be written and read back. */
export async function probePayloadStore(store: PayloadStore, location: string): Promise<void> {
  try {
    await probeStore(store, "holdfast payload store probe\n", "payload");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `The payload store ${location} cannot be used (${reason}): set HOLDFAST_PAYLOAD_STORE to a folder or an s3:// URL that this worker may read and write.`,
    );
  }
}
