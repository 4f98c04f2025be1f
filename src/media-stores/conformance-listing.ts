/** What a store must do that can list and delete, as garbage collection needs it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { MediaStore, StoredBlob } from "../core/media/media-store.js";
import { assertKept, blobOf, type MediaStoreCase } from "./conformance-case.js";

async function listed(store: MediaStore): Promise<readonly StoredBlob[]> {
  const blobs: StoredBlob[] = [];
  for await (const blob of store.list?.() ?? []) blobs.push(blob);
  return blobs.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

export const LISTING_CASES: readonly MediaStoreCase[] = [
  {
    name: "lists nothing where nothing is kept, and then every blob once with its size and date",
    async run(open) {
      const store = await open();
      if (store.list === undefined) return;
      assert.deepEqual(await listed(store), []);
      const blobs = Array.from({ length: 12 }, (_, size) => blobOf(randomBytes(size + 8), "png"));
      for (const { key, bytes } of blobs) await store.put(key, bytes);
      const found = await listed(store);
      const expected = blobs
        .map(({ key, bytes }) => ({ key, size_bytes: bytes.byteLength }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1));
      assert.deepEqual(
        found.map(({ key, size_bytes }) => ({ key, size_bytes })),
        expected,
      );
      for (const { modified_at } of found) {
        assert.equal(new Date(modified_at).toISOString(), modified_at);
        assert.ok(Math.abs(Date.now() - Date.parse(modified_at)) < 3_600_000, `${modified_at} is not now`);
      }
    },
  },
  {
    name: "deletes a blob for good and no other, and takes it again",
    async run(open) {
      const store = await open();
      if (store.delete === undefined) return;
      const [gone, kept] = [blobOf(randomBytes(16)), blobOf(randomBytes(16))];
      await store.put(gone.key, gone.bytes);
      await store.put(kept.key, kept.bytes);
      await store.delete(gone.key);
      assert.equal(await store.get(gone.key), undefined);
      await assertKept(store, kept);
      if (store.list !== undefined)
        assert.deepEqual(
          (await listed(store)).map(({ key }) => key),
          [kept.key],
        );
      await store.put(gone.key, gone.bytes);
      await assertKept(store, gone);
    },
  },
  {
    name: "takes the deleting of what is not there for done, also by many at once",
    async run(open) {
      const store = await open();
      if (store.delete === undefined) return;
      const blob = blobOf(randomBytes(16));
      await store.delete(blob.key);
      await store.put(blob.key, blob.bytes);
      await Promise.all(Array.from({ length: 5 }, async () => store.delete?.(blob.key)));
      assert.equal(await store.get(blob.key), undefined);
    },
  },
  {
    name: "deletes by age what was put before a moment, and spares what is younger",
    async run(open) {
      const store = await open();
      if (store.deleteOlder === undefined) return;
      const [old, young] = [blobOf(randomBytes(16)), blobOf(randomBytes(16))];
      for (const { key, bytes } of [old, young]) await store.put(key, bytes);
      assert.equal(await store.deleteOlder(young.key, new Date(Date.now() - 3_600_000)), false);
      await assertKept(store, young);
      assert.equal(await store.deleteOlder(old.key, new Date(Date.now() + 3_600_000)), true);
      assert.equal(await store.get(old.key), undefined);
      assert.equal(await store.deleteOlder(old.key, new Date()), true, "what is not there is no error");
      await assertKept(store, young);
    },
  },
];
