import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolders } from "../../src/media-stores/make-folders.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("makeFolders", () => {
  it("MED-14 resolves to the first folder that it created, and to nothing where all are there", async () => {
    expect(await makeFolders(join(folder, "a", "b", "c"))).toBe(join(folder, "a"));
    expect(await makeFolders(join(folder, "a", "b", "d"))).toBe(join(folder, "a", "b", "d"));
    expect(await makeFolders(join(folder, "a", "b"))).toBeUndefined();
  });

  it("MED-14 is in nobody's way: many that make the same folders at once all succeed", async () => {
    for (let round = 0; round < 100; round++) {
      const path = join(folder, `${round}`, "a", "b");
      const starts = Array.from({ length: 20 }, (_, index) => index % 4);
      await Promise.all(
        starts.map(async (ticks) => {
          for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve));
          await makeFolders(path);
        }),
      );
      expect(await readdir(join(folder, `${round}`, "a"))).toEqual(["b"]);
    }
  });

  it("MED-14 gives up at a file, and where the system makes nothing", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(makeFolders(join(folder, "file", "a"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(makeFolders("/proc/holdfast/a")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
