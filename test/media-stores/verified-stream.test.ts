import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifiedStream } from "../../src/media-stores/digest.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { streamOf } from "../../src/media-stores/stream-from.js";

const bytes = Buffer.alloc(3 * 1024 * 1024, 7);
const key = `${createHash("sha256").update(bytes).digest("hex")}.bin`;
const other = `${"0".repeat(64)}.bin`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-verified-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a stream that checks itself", () => {
  it("MED-167 is not wrapped again for the same key, and is for another one", () => {
    const stream = verifiedStream(key, streamOf(bytes), "");
    expect(verifiedStream(key, stream, "")).toBe(stream);
    expect(verifiedStream(other, stream, "")).not.toBe(stream);
  });

  it("MED-167 is checked anew where a part of it has been read before", async () => {
    const store = new DirectoryMediaStore(folder);
    const begun = verifiedStream(key, streamOf(bytes), "")[Symbol.asyncIterator]();
    await begun.next();
    const rest = begun as unknown as AsyncIterable<Uint8Array>;
    await expect(store.putStream(key, rest)).rejects.toMatchObject({ code: "BlobDamagedError" });
    expect(await store.get(key)).toBeUndefined();
  });

  it("MED-167 copied from a damaged blob of one store leaves nothing in another", async () => {
    const [from, to] = [
      new DirectoryMediaStore(join(folder, "a")),
      new DirectoryMediaStore(join(folder, "b")),
    ];
    await from.put(key, bytes);
    await writeFile(join(from.path, key), Buffer.alloc(bytes.length, 8));
    const chunks = await from.getStream(key);
    await expect(to.putStream(key, chunks ?? streamOf(bytes))).rejects.toMatchObject({
      code: "BlobDamagedError",
    });
    expect(await to.get(key)).toBeUndefined();
  });
});
