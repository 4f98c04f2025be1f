import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BegunCalls } from "../../../src/activities/journal/begun-calls.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-begun-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const KEY = "a".repeat(64);

it("TOL-37 counts what begins and does not end, over processes, and forgets it after a day", async () => {
  const calls = new BegunCalls(folder);
  expect([calls.begin(KEY), new BegunCalls(folder).begin(KEY), calls.begin("b".repeat(64))]).toEqual([
    0, 1, 0,
  ]);
  const [name = ""] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  calls.end(KEY);
  expect(calls.begin(KEY)).toBe(0);
  const dayBefore = new Date(Date.now() - 25 * 60 * 60_000);
  await utimes(join(folder, `${KEY}.begun`), dayBefore, dayBefore);
  calls.forgetOld();
  expect(await readdir(folder)).toEqual([`${"b".repeat(64)}.begun`]);
});

it("JRN-340 counts on from nothing where the folder was deleted", async () => {
  const calls = new BegunCalls(folder);
  expect([calls.begin(KEY), calls.begin(KEY)]).toEqual([0, 1]);
  await rm(folder, { recursive: true });
  expect([calls.begin(KEY), calls.begin(KEY)]).toEqual([0, 1]);
  expect((await stat(folder)).mode & 0o077).toBe(0);
});

it("TOL-37 runs on where the folder cannot be used", async () => {
  await writeFile(join(folder, "file"), "");
  const calls = new BegunCalls(join(folder, "file"));
  calls.forgetOld();
  expect([calls.begin(KEY), calls.begin(KEY)]).toEqual([0, 0]);
  expect(() => calls.end(KEY)).not.toThrow();
});
