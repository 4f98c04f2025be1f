import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attachFiles } from "../../src/client/attach-files.js";
import { bringMedia } from "../../src/client/bring-media.js";
import { type RestoreMedia, restoredMedia } from "../../src/client/restore-media.js";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { keyOfBytes, PNG, withFiles } from "../support/stored-files.js";

const key = keyOfBytes(PNG, "image/png");
let folder = "";
let working: DirectoryMediaStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-blobs-"));
  working = new DirectoryMediaStore(join(folder, "media"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The blob with as many other bytes in its place. */
async function damage(): Promise<void> {
  await working.put(key, PNG);
  await setTimeout(20);
  await writeFile(join(working.path, key), Buffer.alloc(PNG.byteLength, "x"));
}

const restoring = (sources: RestoreMedia["sources"] = []): RestoreMedia => ({
  working,
  sources,
  damaged: new Set(),
  preserve: false,
  reader: { provider: "anthropic" },
});

describe("a damaged blob of the working store", () => {
  it("MED-243 is mended by a restore whose file carries the bytes, or whose store has them", async () => {
    const { envelope, store } = await withFiles("anthropic", [{ mime_type: "image/png", bytes: PNG }]);
    for (const policy of ["inline", "externalize"] as const) {
      const target = new DirectoryMediaStore(join(folder, "checkpoints"));
      const plan = { policy, maxInlineBytes: null };
      const saved = await savedEnvelope(envelope, plan, { working: store, target });
      await damage();
      await restoredMedia(saved, restoring(policy === "inline" ? [] : [() => target]));
      expect(await working.get(key), policy).toEqual(Buffer.from(PNG));
    }
  });

  it("MED-243 is mended by attaching the file again", async () => {
    await damage();
    await attachFiles({ mediaStore: working, cwd: folder }, [PNG]);
    expect(await readFile(join(working.path, key))).toEqual(Buffer.from(PNG));
  });

  it("MED-243 is mended in the store that a save externalizes to", async () => {
    const { envelope, store } = await withFiles("anthropic", [{ mime_type: "image/png", bytes: PNG }]);
    await damage();
    const plan = { policy: "externalize", maxInlineBytes: null } as const;
    await savedEnvelope(envelope, plan, { working: store, target: working });
    expect(await working.get(key)).toEqual(Buffer.from(PNG));
  });
});

describe("an old blob of the working store", () => {
  it("MED-244 is made young by a restore that needs it, so that garbage collection spares it", async () => {
    await working.put(key, PNG);
    const old = new Date(Date.now() - 86_400_000 * 3);
    await utimes(join(working.path, key), old, old);
    expect((await bringMedia([key], restoring())).has(key)).toBe(true);
    expect(Date.now() - (await stat(join(working.path, key))).mtimeMs).toBeLessThan(3_600_000);
    expect(await working.deleteOlder(key, new Date(Date.now() - 86_400_000))).toBe(false);
  });

  it("MED-244 is brought from elsewhere where it is collected while the restore reads it", async () => {
    const source = new DirectoryMediaStore(join(folder, "source"));
    for (const store of [working, source]) await store.put(key, PNG);
    let reads = 0;
    const racing: MediaStore = {
      put: (...given) => working.put(...given),
      get: (...given) => working.get(...given),
      putStream: (...given) => working.putStream(...given),
      delete: (...given) => working.delete(...given),
      getStream: async (...given) => {
        const chunks = await working.getStream(...given);
        reads += 1;
        if (reads === 2) await working.delete(key);
        return chunks;
      },
    };
    const found = await bringMedia([key], { ...restoring([() => source]), working: racing });
    expect(found.get(key)?.size_bytes).toBe(PNG.byteLength);
    expect(await working.get(key)).toEqual(Buffer.from(PNG));
  });
});
