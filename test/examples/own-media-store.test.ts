import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MEDIA_STORE_CASES } from "../../src/testing.js";
import { repositoryRoot } from "../support/source-file.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-own-store-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("MED-78 runs the conformance suite over the documentation's store, as a reader would", async () => {
  const page = await readFile(join(repositoryRoot, "docs/media-stores.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)];
  expect(blocks.map(([, name]) => name)).toEqual(["my-store.mts", "my-store.test.mts"]);
  for (const [, name = "", text = ""] of blocks) await writeFile(join(folder, name), text);
  await mkdir(join(folder, "node_modules"));
  await symlink(repositoryRoot, join(folder, "node_modules", "holdfast"));
  const caller = blocks[1]?.[2] ?? "";
  expect(caller.trim().split("\n").length).toBeLessThanOrEqual(10);
  // A test runner inside a test runner would take itself for one of its files.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const args = ["--test", "--test-reporter=tap", "my-store.test.mts"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(stdout).toContain(`# pass ${MEDIA_STORE_CASES.length}\n`);
  expect(stdout).toContain("# fail 0\n");
}, 60_000);
