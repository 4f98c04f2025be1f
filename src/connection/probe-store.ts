/** Whether a store takes bytes and gives them back, tried with a few. */
import { createHash, randomUUID } from "node:crypto";
import type { MediaStore } from "../core/media/media-store.js";
import type { PayloadStore } from "./open-payload-store.js";

/** A start, or somebody at a terminal, waits for the answer. */
const PATIENCE_MS = 30_000;

interface Probe {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/**
 * Of a store from which nothing is deleted: the same few bytes each time, which stay where they are.
 *
 * @throws an Error that says why the store cannot be used.
 */
export async function probeStore(store: PayloadStore, text: string, extension: string): Promise<void> {
  await tryOut(store, probeOf(text, extension));
}

/**
 * With bytes of this probe alone, which are deleted again: somebody else may be probing too. Resolves to the key of a probe
 * that could not be deleted, for a store need not allow that.
 *
 * @throws an Error that says why the store cannot be used.
 */
export async function probeAndRemove(store: MediaStore, text: string): Promise<string | undefined> {
  const probe = probeOf(`${text} ${randomUUID()}\n`, "txt");
  let left: string | undefined;
  try {
    await tryOut(store, probe);
  } finally {
    left = await remove(store, probe.key);
  }
  return left;
}

function probeOf(text: string, extension: string): Probe {
  const bytes = new TextEncoder().encode(text);
  return { key: `${createHash("sha256").update(bytes).digest("hex")}.${extension}`, bytes };
}

async function tryOut(store: PayloadStore, { key, bytes }: Probe): Promise<void> {
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

async function remove(store: MediaStore, key: string): Promise<string | undefined> {
  if (store.delete === undefined) return key;
  return store.delete(key, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    () => undefined,
    () => key,
  );
}
