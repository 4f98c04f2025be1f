/** One of several processes that put, read, list and stream the same twenty blobs of one folder. */
import { createHash } from "node:crypto";
import { collect } from "../../src/media-stores/collect.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { streamOf } from "../../src/media-stores/stream-from.js";

const [, , folder = "", offset = "0"] = process.argv;
const store = new DirectoryMediaStore(folder);
for (let step = 0; step < 40; step += 1) {
  const bytes = Buffer.alloc(50_000, (step + 5 * Number(offset)) % 20);
  const key = `${createHash("sha256").update(bytes).digest("hex")}.bin`;
  // What another process is writing is there whole or not at all: a part of it would fail its digest.
  await store.get(key);
  if ((step + Number(offset)) % 2 === 0) await store.put(key, bytes);
  else await store.putStream(key, streamOf(bytes));
  const chunks = await store.getStream(key);
  if (chunks === undefined || !bytes.equals(await collect(chunks))) process.exit(2);
  for await (const { size_bytes } of store.list()) if (size_bytes !== bytes.byteLength) process.exit(3);
}
