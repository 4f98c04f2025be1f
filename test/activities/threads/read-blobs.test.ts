import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ReadBlobs } from "../../../src/activities/threads/read-blobs.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";

const { signal } = new AbortController();
const blobs = [1, 2, 3].map((fill) => new Uint8Array(1_000_000).fill(fill));
const keys = blobs.map((bytes) => `${createHash("sha256").update(bytes).digest("hex")}.bin`);
const missing = `${"a".repeat(64)}.bin`;

async function scene(streams: boolean) {
  const store = new MemoryMediaStore();
  for (const [index, bytes] of blobs.entries()) await store.put(keys[index] ?? "", bytes);
  const got: string[] = [];
  const get = async (key: string): Promise<Uint8Array | undefined> => {
    got.push(key);
    return store.get(key);
  };
  return { got, store: streams ? store : { get } };
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  Buffer.from(one ?? []).equals(other ?? new Uint8Array());

describe("blobs that are read ahead", () => {
  it.each([true, false])(
    "ACT-81 are read no further than needed to know where they go, streamed: %s",
    async (streams) => {
      const { got, store } = await scene(streams);
      const read = await ReadBlobs.read(store, keys, { limit: 1_500_000, signal });
      expect(read.bytes).toBeGreaterThan(1_500_000);
      expect(read.bytes).toBeLessThanOrEqual(2_000_000);
      expect(got).toEqual(streams ? [] : keys.slice(0, 2));
      for (const [index, key] of keys.entries()) expect(isSame(await read.get(key), blobs[index])).toBe(true);
      expect(await read.get(missing)).toBeUndefined();
    },
  );

  it.each([true, false])(
    "ACT-81 are handed out whole, once each, also after their memory has left: %s",
    async (streams) => {
      const { store } = await scene(streams);
      const read = await ReadBlobs.read(store, [...keys, missing], { limit: 9_000_000, signal });
      expect(read.bytes).toBe(3_000_000);
      const first = await read.get(keys[0] ?? "");
      if (first?.buffer instanceof ArrayBuffer) structuredClone(first.buffer, { transfer: [first.buffer] });
      expect(first?.byteLength).toBe(0);
      expect(isSame(await read.get(keys[0] ?? ""), blobs[0])).toBe(true);
    },
  );
});
