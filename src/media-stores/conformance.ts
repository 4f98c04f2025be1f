/** What every media store must do, as cases that any test runner can run. Published for authors of stores. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { MediaStore } from "../core/media/media-store.js";

export interface MediaStoreCase {
  readonly name: string;
  /** Rejects where the store does not conform. `open` opens the same empty store as often as it is called. */
  run(open: () => MediaStore | Promise<MediaStore>): Promise<void>;
}

interface Blob {
  readonly key: string;
  readonly bytes: Uint8Array;
}

function blobOf(bytes: Uint8Array, extension = "bin"): Blob {
  return { key: `${createHash("sha256").update(bytes).digest("hex")}.${extension}`, bytes };
}

const MALFORMED_KEYS: readonly string[] = [
  "",
  "a.pdf",
  `../${"a".repeat(64)}.pdf`,
  `/${"a".repeat(64)}.pdf`,
  `${"a".repeat(64)}.pdf/../../b`,
  `${"a".repeat(64)}.pdf\0`,
  `${"a".repeat(64)}.pdf\n`,
  `${"A".repeat(64)}.pdf`,
  `${"a".repeat(64)}`,
  `${"a".repeat(64)}.`,
  `${"a".repeat(64)}.verylongone`,
  `$media:${"a".repeat(64)}.pdf`,
];

async function assertKept(store: MediaStore, { key, bytes }: Blob): Promise<void> {
  const kept = await store.get(key);
  assert.ok(kept !== undefined, `${key} is not there`);
  assert.ok(Buffer.from(bytes).equals(kept), `${key} came back changed`);
}

/**
 * The cases. With any runner:
 * `for (const { name, run } of MEDIA_STORE_CASES) test(name, () => run(() => new MyStore(emptyPlace)));`
 */
export const MEDIA_STORE_CASES: readonly MediaStoreCase[] = [
  {
    name: "gives back the bytes that were put, also none and a million of them",
    async run(open) {
      const store = await open();
      for (const size of [0, 1, 1_000_000]) {
        const blob = blobOf(randomBytes(size));
        await store.put(blob.key, blob.bytes);
        await assertKept(store, blob);
      }
    },
  },
  {
    name: "resolves to undefined for a key that nothing is kept under",
    async run(open) {
      const store = await open();
      assert.equal(await store.get(blobOf(randomBytes(8)).key), undefined);
    },
  },
  {
    name: "takes the same blob again without a change",
    async run(open) {
      const store = await open();
      const blob = blobOf(randomBytes(64), "pdf");
      await store.put(blob.key, blob.bytes);
      await store.put(blob.key, blob.bytes);
      await assertKept(store, blob);
    },
  },
  {
    name: "keeps one blob under two extensions apart",
    async run(open) {
      const store = await open();
      const bytes = randomBytes(32);
      await store.put(blobOf(bytes, "png").key, bytes);
      assert.equal(await store.get(blobOf(bytes, "jpg").key), undefined);
    },
  },
  {
    name: "takes one blob from many callers at once",
    async run(open) {
      const stores = await Promise.all(Array.from({ length: 8 }, async () => await open()));
      const blob = blobOf(randomBytes(100_000), "mp4");
      await Promise.all(stores.map((store) => store.put(blob.key, blob.bytes)));
      await Promise.all(stores.map((store) => assertKept(store, blob)));
    },
  },
  {
    name: "does not share memory with its callers",
    async run(open) {
      const store = await open();
      const bytes = new Uint8Array(randomBytes(16));
      const blob = blobOf(bytes.slice());
      await store.put(blob.key, bytes);
      bytes.fill(0);
      (await store.get(blob.key))?.fill(0);
      await assertKept(store, blob);
    },
  },
  {
    name: "refuses bytes under a key of another digest",
    async run(open) {
      const store = await open();
      const { key } = blobOf(randomBytes(16));
      await assert.rejects(async () => store.put(key, randomBytes(16)));
      assert.equal(await store.get(key), undefined);
    },
  },
  {
    name: "refuses a key of another form, for put and for get",
    async run(open) {
      const store = await open();
      for (const key of MALFORMED_KEYS) {
        await assert.rejects(async () => store.put(key, new Uint8Array(1)), `put ${JSON.stringify(key)}`);
        await assert.rejects(async () => store.get(key), `get ${JSON.stringify(key)}`);
      }
    },
  },
  {
    name: "does nothing once its signal is aborted",
    async run(open) {
      const store = await open();
      const blob = blobOf(randomBytes(16));
      const signal = AbortSignal.abort();
      await assert.rejects(async () => store.put(blob.key, blob.bytes, { signal }));
      assert.equal(await store.get(blob.key), undefined);
      await assert.rejects(async () => store.get(blob.key, { signal }));
    },
  },
];
