/** What every media store must do, as cases that any test runner can run. Published for authors of stores. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
import { collect } from "./collect.js";
import { assertKept, blobOf, inChunks, MALFORMED_KEYS, type MediaStoreCase } from "./conformance-case.js";
import { LISTING_CASES } from "./conformance-listing.js";
import { STREAM_CASES } from "./conformance-streams.js";

/** Each method that the store has, called with this key. */
function callsOf(
  store: MediaStore,
  { key, bytes }: { readonly key: string; readonly bytes: Uint8Array },
  options: MediaStoreCallOptions = {},
): ReadonlyMap<string, () => Promise<unknown>> {
  const calls = new Map<string, () => Promise<unknown>>([
    ["put", async () => store.put(key, bytes, options)],
    ["get", async () => store.get(key, options)],
  ]);
  if (store.putStream !== undefined)
    calls.set("putStream", async () => store.putStream?.(key, inChunks(bytes, 10), options));
  if (store.getStream !== undefined)
    calls.set("getStream", async () => {
      const chunks = await store.getStream?.(key, options);
      return chunks === undefined ? undefined : collect(chunks);
    });
  if (store.delete !== undefined) calls.set("delete", async () => store.delete?.(key, options));
  return calls;
}

const BASIC_CASES: readonly MediaStoreCase[] = [
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
    name: "shows a blob whole or not at all while it is put",
    async run(open) {
      const store = await open();
      const blob = blobOf(randomBytes(2_000_000), "mp4");
      const puts = Array.from({ length: 4 }, () => store.put(blob.key, blob.bytes));
      const reads = Array.from({ length: 12 }, async () => {
        const bytes = await store.get(blob.key);
        if (bytes !== undefined) assert.ok(Buffer.from(blob.bytes).equals(bytes), "a part of it was seen");
      });
      await Promise.all([...puts, ...reads]);
      await assertKept(store, blob);
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
    name: "refuses a key of another form, whatever is asked of it",
    async run(open) {
      const store = await open();
      for (const key of MALFORMED_KEYS) {
        for (const [method, call] of callsOf(store, { key, bytes: new Uint8Array(1) }))
          await assert.rejects(call, `${method} ${JSON.stringify(key.slice(0, 100))} was not refused`);
      }
    },
  },
  {
    name: "does nothing once its signal is aborted",
    async run(open) {
      const store = await open();
      const [blob, kept] = [blobOf(randomBytes(16)), blobOf(randomBytes(16))];
      await store.put(kept.key, kept.bytes);
      const signal = AbortSignal.abort();
      for (const each of [blob, kept]) {
        for (const [method, call] of callsOf(store, each, { signal }))
          await assert.rejects(call, `${method} did not heed the signal`);
      }
      assert.equal(await store.get(blob.key), undefined);
      await assertKept(store, kept);
    },
  },
  {
    name: "refuses a blob that has changed since, also at the end of a stream",
    async run(open, tools = {}) {
      if (tools.damage === undefined) return;
      const store = await open();
      for (const size of [40, 3_000_000]) {
        const { key, bytes } = blobOf(randomBytes(size));
        await store.put(key, bytes);
        await tools.damage(key);
        await assert.rejects(async () => store.get(key));
        const seen: Uint8Array[] = [];
        await assert.rejects(async () => {
          for await (const chunk of (await store.getStream?.(key)) ?? [await store.get(key)])
            if (chunk !== undefined) seen.push(chunk);
        });
        assert.ok(Buffer.concat(seen).byteLength < size, "the last chunk was handed on");
      }
    },
  },
  {
    name: "mends a blob that has changed since, at the same size, when its bytes are put again",
    async run(open, tools = {}) {
      if (tools.damage === undefined) return;
      const store = await open();
      const [whole, streamed] = [blobOf(randomBytes(40)), blobOf(randomBytes(3_000_000))];
      for (const { key, bytes } of [whole, streamed]) {
        await store.put(key, bytes);
        // Some file systems do not tell changes within a few milliseconds apart.
        await setTimeout(20);
        await tools.damage(key);
      }
      await store.put(whole.key, whole.bytes);
      await assertKept(store, whole);
      const sizeBytes = streamed.bytes.byteLength;
      if (store.putStream === undefined) await store.put(streamed.key, streamed.bytes);
      else await store.putStream(streamed.key, inChunks(streamed.bytes, 65_536), { sizeBytes });
      await assertKept(store, streamed);
    },
  },
];

/**
 * The cases. With any runner:
 * `for (const { name, run } of MEDIA_STORE_CASES) test(name, () => run(() => new MyStore(emptyPlace)));`
 */
export const MEDIA_STORE_CASES: readonly MediaStoreCase[] = [
  ...BASIC_CASES,
  ...STREAM_CASES,
  ...LISTING_CASES,
];
