/** What a store that streams must do. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { MediaStore } from "../core/media/media-store.js";
import { collect } from "./collect.js";
import {
  assertKept,
  assertSame,
  type Blob,
  blobOf,
  inChunks,
  type MediaStoreCase,
} from "./conformance-case.js";

/** Above the size at which a store would send parts. */
const BIG_BYTES: number = 20 * 1024 * 1024 + 1;
const CHUNK_BYTES = 64 * 1024;

async function assertStreamed(store: MediaStore, blob: Blob): Promise<void> {
  if (store.getStream === undefined) return;
  const chunks = await store.getStream(blob.key);
  assertSame(blob, chunks === undefined ? undefined : await collect(chunks));
}

/** The chunks, and then a failure. */
async function* failing(bytes: Uint8Array, failure: Error): AsyncGenerator<Uint8Array> {
  yield* inChunks(bytes, CHUNK_BYTES);
  throw failure;
}

export const STREAM_CASES: readonly MediaStoreCase[] = [
  {
    name: "streams in what comes in chunks, none and many, and it can be read whole",
    async run(open) {
      const store = await open();
      if (store.putStream === undefined) return;
      for (const size of [0, 1, CHUNK_BYTES, 1_000_000]) {
        const blob = blobOf(randomBytes(size));
        await store.putStream(blob.key, inChunks(blob.bytes, CHUNK_BYTES));
        await assertKept(store, blob);
        await store.putStream(blob.key, inChunks(blob.bytes, CHUNK_BYTES), { sizeBytes: size });
        await store.putStream(blob.key, inChunks(blob.bytes, CHUNK_BYTES));
        await assertKept(store, blob);
      }
    },
  },
  {
    name: "streams out what was put, and undefined for a key that nothing is kept under",
    async run(open) {
      const store = await open();
      if (store.getStream === undefined) return;
      for (const size of [0, 1, 3_000_000]) {
        const blob = blobOf(randomBytes(size));
        assert.equal(await store.getStream(blob.key), undefined);
        await store.put(blob.key, blob.bytes);
        await assertStreamed(store, blob);
      }
    },
  },
  {
    name: "keeps a big blob, whole and streamed",
    async run(open) {
      const store = await open();
      const [whole, streamed] = [blobOf(randomBytes(BIG_BYTES)), blobOf(randomBytes(BIG_BYTES))];
      await store.put(whole.key, whole.bytes);
      await assertKept(store, whole);
      await assertStreamed(store, whole);
      await store.putStream?.(streamed.key, inChunks(streamed.bytes, CHUNK_BYTES));
      if (store.putStream !== undefined) await assertKept(store, streamed);
    },
  },
  {
    name: "keeps nothing of a stream that fails, and throws what its source threw",
    async run(open) {
      const store = await open();
      if (store.putStream === undefined) return;
      for (const size of [10, BIG_BYTES]) {
        const { key, bytes } = blobOf(randomBytes(size));
        const failure = new Error("the source has failed");
        const put = store.putStream(key, failing(bytes, failure));
        await assert.rejects(
          async () => put,
          (error) => error === failure,
        );
        assert.equal(await store.get(key), undefined);
      }
    },
  },
  {
    name: "keeps nothing of a stream under a key of another digest",
    async run(open) {
      const store = await open();
      if (store.putStream === undefined) return;
      for (const size of [10, BIG_BYTES]) {
        const { key } = blobOf(randomBytes(16));
        const put = store.putStream(key, inChunks(randomBytes(size), CHUNK_BYTES));
        await assert.rejects(async () => put);
        assert.equal(await store.get(key), undefined);
      }
    },
  },
  {
    name: "keeps nothing of a stream that is aborted on its way",
    async run(open) {
      const store = await open();
      if (store.putStream === undefined) return;
      const { key, bytes } = blobOf(randomBytes(1_000_000));
      const controller = new AbortController();
      async function* aborting(): AsyncGenerator<Uint8Array> {
        for await (const chunk of inChunks(bytes, CHUNK_BYTES)) {
          yield chunk;
          controller.abort();
        }
      }
      const put = store.putStream(key, aborting(), { signal: controller.signal });
      await assert.rejects(async () => put);
      assert.equal(await store.get(key), undefined);
    },
  },
  {
    name: "stops streaming out when its reader does, or its signal is aborted",
    async run(open) {
      const store = await open();
      if (store.getStream === undefined) return;
      const blob = blobOf(randomBytes(5_000_000));
      await store.put(blob.key, blob.bytes);
      for await (const chunk of (await store.getStream(blob.key)) ?? []) {
        if (chunk.byteLength > 0) break;
      }
      const controller = new AbortController();
      const chunks = await store.getStream(blob.key, { signal: controller.signal });
      controller.abort();
      await assert.rejects(async () => chunks !== undefined && collect(chunks));
      await assertStreamed(store, blob);
    },
  },
];
