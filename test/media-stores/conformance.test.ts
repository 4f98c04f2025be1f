import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MEDIA_STORE_CASES } from "../../src/media-stores/conformance.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { S3MediaStore } from "../../src/media-stores/s3-media-store.js";
import { S3_START_MS, type S3Server, startS3Server } from "../support/s3-server.js";

let folder: string;
let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
}, S3_START_MS);
afterAll(() => s3[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** A store, and the folder in which its blobs are files, where there is one. */
interface Place {
  readonly open: () => MediaStore;
  readonly folder?: string;
}

const places: readonly (readonly [string, () => Promise<Place>])[] = [
  [
    "MemoryMediaStore",
    async () => {
      const store = new MemoryMediaStore();
      return { open: () => store };
    },
  ],
  [
    "DirectoryMediaStore",
    async () => ({
      open: () => new DirectoryMediaStore(join(folder, "media")),
      folder: join(folder, "media"),
    }),
  ],
  [
    "S3MediaStore",
    async () => {
      const { bucket, folder } = await s3.makeBucket();
      const client = s3.client();
      return {
        open: () => new S3MediaStore({ client, bucket, prefix: "media" }),
        folder: join(folder, "media"),
      };
    },
  ],
  [
    "S3MediaStore at a bucket's root, from its URL",
    async () => {
      const { bucket } = await s3.makeBucket();
      for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
      return { open: () => S3MediaStore.fromUrl(`s3://${bucket}`) };
    },
  ],
];

/** Changes one byte in the middle. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.byteLength / 2);
  bytes.writeUInt8((bytes.readUInt8(middle) + 1) % 256, middle);
  await writeFile(path, bytes);
}

describe.each(places)("%s", (_name, make) => {
  it.each(MEDIA_STORE_CASES)("MED-12 $name", async ({ run }) => {
    const place = await make();
    const { folder } = place;
    const tools = folder === undefined ? {} : { damage: (key: string) => damage(join(folder, key)) };
    await expect(run(place.open, tools)).resolves.toBeUndefined();
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
      "refuses a key of another form, whatever is asked of it",
      "does nothing once its signal is aborted",
    ]);
  });
});
