import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MEDIA_STORE_CASES } from "../../src/media-stores/conformance.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-"));
});
afterEach(() => rm(folder, { recursive: true }));

const makers: readonly (readonly [string, () => () => MediaStore])[] = [
  [
    "MemoryMediaStore",
    () => {
      const store = new MemoryMediaStore();
      return () => store;
    },
  ],
  ["DirectoryMediaStore", () => () => new DirectoryMediaStore(join(folder, "media"))],
];

describe.each(makers)("%s", (_name, make) => {
  it.each(MEDIA_STORE_CASES)("MED-12 $name", async ({ run }) => {
    await expect(run(make())).resolves.toBeUndefined();
  });
});

describe("the conformance suite", () => {
  /** A store that keeps what it is given under any name and checks nothing. */
  class CarelessStore implements MediaStore {
    readonly #blobs = new Map<string, Uint8Array>();
    async put(key: string, bytes: Uint8Array): Promise<void> {
      this.#blobs.set(key, bytes);
    }
    async get(key: string): Promise<Uint8Array | undefined> {
      return this.#blobs.get(key);
    }
  }

  it("MED-13 finds a store that shares memory, checks no digest, no key and no signal", async () => {
    const failed: string[] = [];
    for (const { name, run } of MEDIA_STORE_CASES) {
      const store = new CarelessStore();
      await run(() => store).catch(() => failed.push(name));
    }
    expect(failed).toEqual([
      "does not share memory with its callers",
      "refuses bytes under a key of another digest",
      "refuses a key of another form, for put and for get",
      "does nothing once its signal is aborted",
    ]);
  });
});
