/** One of several processes that put the same twenty blobs into one folder. */
import { createHash } from "node:crypto";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";

const store = new DirectoryMediaStore(process.argv[2] ?? "");
for (let index = 0; index < 20; index += 1) {
  const bytes = Buffer.alloc(50_000, index);
  await store.put(`${createHash("sha256").update(bytes).digest("hex")}.bin`, bytes);
}
