import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";

const LONG_AGO = new Date(2020, 1, 1);
const DAY_AGO = new Date(Date.now() - 86_400_000);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-older-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("deleting by age in a directory store", () => {
  it("MED-164 never loses a blob that is put at the same time", async () => {
    const store = new DirectoryMediaStore(folder);
    const blobs = Array.from({ length: 150 }, (_, index) => {
      const bytes = Buffer.from(`blob ${index}`);
      return { bytes, key: `${createHash("sha256").update(bytes).digest("hex")}.txt` };
    });
    for (let round = 0; round < 3; round++) {
      for (const { key, bytes } of blobs) {
        await store.put(key, bytes);
        await utimes(join(folder, key), LONG_AGO, LONG_AGO);
      }
      await Promise.all(
        blobs.flatMap(({ key, bytes }) => [
          store.put(key, bytes),
          store.deleteOlder(key, DAY_AGO),
          store.deleteOlder(key, DAY_AGO),
        ]),
      );
      for (const { key, bytes } of blobs) expect(await store.get(key)).toEqual(bytes);
    }
    expect((await readdir(folder)).length).toBe(blobs.length);
  });
});
