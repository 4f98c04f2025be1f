import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileBundle } from "../../src/worker/compiled-bundle.js";

let folder: string;
let bundle: string;
let cache: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-compiled-"));
  bundle = join(folder, "bundle.js");
  cache = join(folder, "cache");
  await writeFile(bundle, "function answer() { return 42; } answer();");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** As a process that runs the bundle and ends in good order. */
async function processThatEnds() {
  const { script, isKept, keep } = await compileBundle(bundle, cache);
  const result = script.runInThisContext();
  await keep();
  return { result, isKept };
}

async function onlyFile(): Promise<string> {
  const files = await readdir(cache);
  expect(files).toHaveLength(1);
  return join(cache, files[0] ?? "");
}

describe("the compiled workflow bundle", () => {
  it("WRK-424 is kept for the next process, and written once", async () => {
    expect(await processThatEnds()).toEqual({ result: 42, isKept: false });
    const before = await readFile(await onlyFile());
    expect(await processThatEnds()).toEqual({ result: 42, isKept: true });
    expect(await readFile(await onlyFile())).toEqual(before);
  });

  it("WRK-424 is compiled again where a byte of it is damaged, and kept whole", async () => {
    await processThatEnds();
    const path = await onlyFile();
    const whole = await readFile(path);
    for (const at of [0, whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[at] = 255 - (damaged[at] ?? 0);
      await writeFile(path, damaged);
      expect(await processThatEnds()).toEqual({ result: 42, isKept: false });
      expect(await processThatEnds()).toEqual({ result: 42, isKept: true });
    }
    await writeFile(path, "");
    expect(await processThatEnds()).toEqual({ result: 42, isKept: false });
  });

  it("WRK-424 is another for another bundle", async () => {
    await processThatEnds();
    await writeFile(bundle, "function answer() { return 43; } answer();");
    expect(await processThatEnds()).toEqual({ result: 43, isKept: false });
    expect(await readdir(cache)).toHaveLength(2);
  });

  it("WRK-424 costs nothing but time where it cannot be kept, and is kept nowhere without Node's compile cache", async () => {
    await writeFile(cache, "no folder");
    expect(await processThatEnds()).toEqual({ result: 42, isKept: false });
    const { script, isKept, keep } = await compileBundle(bundle);
    await keep();
    expect([script.runInThisContext(), isKept]).toEqual([42, false]);
    expect(await readdir(folder)).toEqual(["bundle.js", "cache"]);
  });
});
