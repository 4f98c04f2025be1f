import { createHash, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Payload } from "@temporalio/common";
import proto from "@temporalio/proto";
import { describe, expect, it } from "vitest";
import { COMPRESSED_BYTES, PayloadBlobs } from "../../src/connection/payload-blobs.js";
import { EnvelopeDamagedError } from "../../src/core/errors/errors.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

const PayloadMessage = proto.temporal.api.common.v1.Payload;
const encoding = new TextEncoder().encode("json/plain");
const payload = (text: string): Payload => ({
  metadata: { encoding },
  data: new TextEncoder().encode(JSON.stringify(text)),
});
const plain = (value: Payload): Uint8Array => PayloadMessage.encode(value).finish();
const keyOf = (bytes: Uint8Array): string => `${createHash("sha256").update(bytes).digest("hex")}.payload`;
const textOf = ({ data }: Payload): unknown => JSON.parse(new TextDecoder().decode(data ?? undefined));

/** A store that says what was put into it. */
class Watched implements Pick<MediaStore, "put" | "get"> {
  readonly memory = new MemoryMediaStore();
  readonly puts: Uint8Array[] = [];
  isBroken = false;

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (this.isBroken) throw new Error("no room");
    this.puts.push(bytes);
    await this.memory.put(key, bytes);
  }
  get(key: string): Promise<Uint8Array | undefined> {
    return this.memory.get(key);
  }
}

const blobOf = async (
  bytes: Uint8Array,
): Promise<{ readonly store: MemoryMediaStore; readonly key: string }> => {
  const store = new MemoryMediaStore();
  const key = keyOf(bytes);
  await store.put(key, bytes);
  return { store, key };
};

describe("a payload as a blob", () => {
  it("CON-300 is compressed, under the SHA-256 of what is stored, and comes back as it was", async () => {
    const store = new Watched();
    const value = payload('語🙂"\\ the cost of repair. '.repeat(1_000));
    const key = await new PayloadBlobs(store).write(value, {});
    const [stored = new Uint8Array()] = store.puts;
    expect(key).toBe(keyOf(stored));
    expect(stored.byteLength).toBeLessThan(plain(value).byteLength / 20);
    expect(Buffer.compare(gunzipSync(stored), plain(value))).toBe(0);
    const back = await new PayloadBlobs(store).read(key, {});
    expect(plain(back)).toEqual(plain(value));
  });

  it("CON-330 that was just read is not fetched and decompressed again while it is in memory", async () => {
    const store = new Watched();
    const key = await new PayloadBlobs(store).write(payload("the cost of repair. ".repeat(1_000)), {});
    const blobs = new PayloadBlobs(store);
    const first = await blobs.read(key, {});
    await store.memory.delete(key);
    const again = await blobs.read(key, {});
    expect(plain(again)).toEqual(plain(first));
    expect(again.data?.buffer).toBe(first.data?.buffer);
    // A codec may change what it is given.
    expect(again).not.toBe(first);
    expect(again.metadata).not.toBe(first.metadata);
    await expect(new PayloadBlobs(store).read(key, {})).rejects.toThrow(EnvelopeDamagedError);
  });

  it("CON-300 is stored as it is where it does not shrink, or is larger than what may come out of a blob", async () => {
    const store = new Watched();
    const encrypted = { metadata: { encoding }, data: new Uint8Array(randomBytes(10_000)) };
    const large = { metadata: { encoding }, data: new Uint8Array(COMPRESSED_BYTES) };
    for (const value of [encrypted, large]) {
      const key = await new PayloadBlobs(store).write(value, {});
      const stored = store.puts.at(-1) ?? new Uint8Array();
      expect(Buffer.compare(stored, plain(value))).toBe(0);
      const back = await new PayloadBlobs(store).read(key, {});
      expect(Buffer.compare(back.data ?? new Uint8Array(), value.data)).toBe(0);
    }
  });

  it("CON-301 is read where an earlier release has stored it uncompressed", async () => {
    const { store, key } = await blobOf(plain(payload("a".repeat(200_000))));
    expect(textOf(await new PayloadBlobs(store).read(key, {}))).toBe("a".repeat(200_000));
  });

  it.each([
    ["cut off", gzipSync(plain(payload("a".repeat(9_000)))).subarray(0, 40)],
    ["changed within", gzipSync(plain(payload("a".repeat(9_000)))).fill(0, 20, 30)],
    ["no payload, compressed", gzipSync("no payload")],
    ["no payload", new TextEncoder().encode("no payload")],
    ["larger than any that is compressed", gzipSync(new Uint8Array(COMPRESSED_BYTES + 1))],
  ])("CON-302 that is %s is refused in one line that names it", async (_what, bytes) => {
    const { store, key } = await blobOf(new Uint8Array(bytes));
    const reading = new PayloadBlobs(store).read(key, {});
    await expect(reading).rejects.toThrow(EnvelopeDamagedError);
    await expect(reading).rejects.toThrow(
      /^The payload [0-9a-f]{64}\.payload is damaged \([^\n]+\): put it back [^\n]+$/,
    );
  });

  it("CON-303 is not written again by a process that has written or read it", async () => {
    const store = new Watched();
    const blobs = new PayloadBlobs(store);
    const key = await blobs.write(payload("a".repeat(999)), {});
    expect(await blobs.write(payload("a".repeat(999)), {})).toBe(key);
    const elsewhere = new PayloadBlobs(store);
    await elsewhere.read(key, {});
    expect(await elsewhere.write(payload("a".repeat(999)), {})).toBe(key);
    expect(store.puts).toHaveLength(1);
    const earlier = plain(payload("b".repeat(999)));
    await store.memory.put(keyOf(earlier), earlier);
    await blobs.read(keyOf(earlier), {});
    expect(await blobs.write(payload("b".repeat(999)), {})).toBe(keyOf(earlier));
    expect(store.puts).toHaveLength(1);
  });

  it("CON-303 is written again where the store has not taken it, and when many others came since", async () => {
    const store = new Watched();
    const blobs = new PayloadBlobs(store, 2);
    store.isBroken = true;
    await expect(blobs.write(payload("a"), {})).rejects.toThrow("no room");
    store.isBroken = false;
    for (const text of ["a", "b", "a", "c", "a", "b"]) await blobs.write(payload(text), {});
    const written = store.puts.map((bytes) => textOf(PayloadMessage.decode(bytes)));
    expect(written).toEqual(["a", "b", "c", "b"]);
  });
});
