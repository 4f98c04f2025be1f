import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { BlobDamagedError } from "../../src/media-stores/blob-damaged-error.js";
import { collect } from "../../src/media-stores/collect.js";
import { sha256OfBytes, verifiedStream } from "../../src/media-stores/digest.js";
import { getInto } from "../../src/media-stores/get-into.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { putFrom } from "../../src/media-stores/put-from.js";
import { streamFrom, streamOf } from "../../src/media-stores/stream-from.js";

const BYTES = new Uint8Array(randomBytes(3_000_000));
const keyOf = (bytes: Uint8Array): string => `${createHash("sha256").update(bytes).digest("hex")}.bin`;
const KEY = keyOf(BYTES);

/** By digest: to compare three million bytes one by one takes seconds. */
const expectWhole = (bytes: Uint8Array | undefined): void =>
  expect(bytes === undefined ? undefined : keyOf(bytes)).toBe(KEY);

/** A user's store of two methods, over memory. */
function plainStore(): MediaStore {
  const memory = new MemoryMediaStore();
  return {
    put: (key, bytes, options) => memory.put(key, bytes, options),
    get: (key, options) => memory.get(key, options),
  };
}

describe("a stream of bytes under a key", () => {
  it("MED-70 hands on all but the last chunk of a damaged blob, and then throws", async () => {
    const chunks = [new Uint8Array([1]), new Uint8Array([2]), new Uint8Array([3])];
    const seen: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of verifiedStream(KEY, Readable.from(chunks), "Attach it again."))
        seen.push(chunk);
    })();
    await expect(reading).rejects.toThrow(BlobDamagedError);
    await expect(reading).rejects.toThrow(/its 3 bytes have the SHA-256 [0-9a-f]{64}\. Attach it again\.$/);
    expect(seen).toEqual(chunks.slice(0, 2));
  });

  it("MED-70 hands on every chunk of a blob that is whole, and none of an empty one", async () => {
    expectWhole(await collect(verifiedStream(KEY, streamOf(BYTES), "")));
    const none = new Uint8Array(0);
    expect(await collect(verifiedStream(keyOf(none), streamOf(none), ""))).toHaveLength(0);
    await expect(collect(verifiedStream(KEY, streamOf(none), ""))).rejects.toThrow(BlobDamagedError);
  });

  it("MED-71 lets other work run while a big blob is hashed", async () => {
    let turns = 0;
    let isHashing = true;
    const work = (): void => {
      turns += 1;
      if (isHashing) setImmediate(work);
    };
    setImmediate(work);
    const big = new Uint8Array(20 * 1024 * 1024);
    expect(await sha256OfBytes(big)).toBe(createHash("sha256").update(big).digest("hex"));
    isHashing = false;
    expect(turns).toBeGreaterThanOrEqual(19);
  });
});

describe.each([
  ["that streams", () => new MemoryMediaStore()],
  ["of two methods", plainStore],
])("a store %s", (_name, make: () => MediaStore) => {
  it("MED-72 takes a blob from a source of chunks and gives it back in chunks", async () => {
    const store = make();
    await putFrom(store, KEY, streamOf(BYTES), { sizeBytes: BYTES.byteLength });
    expectWhole(await store.get(KEY));
    const chunks = (await streamFrom(store, KEY)) ?? expect.fail("it is not there");
    expectWhole(await collect(chunks));
    const written: Uint8Array[] = [];
    expect(await getInto(store, KEY, async (chunk) => void written.push(chunk))).toBe(true);
    expect(written.length).toBeGreaterThan(1);
    expectWhole(Buffer.concat(written));
  });

  it("MED-72 says that nothing is kept under a key", async () => {
    expect(await streamFrom(make(), KEY)).toBeUndefined();
    expect(await getInto(make(), KEY, () => expect.fail("a chunk came"))).toBe(false);
  });

  it("MED-72 stops at what fails: the source, or whoever takes the chunks", async () => {
    const store = make();
    const failure = new Error("no more");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield BYTES.subarray(0, 10);
      throw failure;
    }
    await expect(putFrom(store, KEY, failing())).rejects.toBe(failure);
    expect(await store.get(KEY)).toBeUndefined();
    await store.put(KEY, BYTES);
    await expect(getInto(store, KEY, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});

describe("a source", () => {
  it("MED-72 is closed in the end, also when the store did not read it", async () => {
    const blind: MediaStore = { ...plainStore(), putStream: async () => undefined };
    const refusing: MediaStore = { ...plainStore(), putStream: () => Promise.reject(new Error("no")) };
    for (const store of [blind, refusing, new MemoryMediaStore()]) {
      const source = Readable.from([BYTES]);
      await putFrom(store, KEY, source).catch(() => undefined);
      expect(source.destroyed).toBe(true);
    }
  });
});
