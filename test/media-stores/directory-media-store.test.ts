import { execFileSync, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlobDamagedError } from "../../src/media-stores/blob-damaged-error.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";

const BYTES = Buffer.from("%PDF-1.7 the contract");
const KEY = `${createHash("sha256").update(BYTES).digest("hex")}.pdf`;

let folder: string;
let store: DirectoryMediaStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-"));
  store = new DirectoryMediaStore(join(folder, "checkpoints", "media"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("DirectoryMediaStore", () => {
  it("MED-14 creates its folder for the owner alone and keeps one file a blob, named by its key", async () => {
    await store.put(KEY, BYTES);
    expect(await readdir(store.path)).toEqual([KEY]);
    expect(await readFile(join(store.path, KEY))).toEqual(BYTES);
    expect((await stat(store.path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(store.path, KEY))).mode & 0o777).toBe(0o600);
  });

  it("MED-14 takes a relative path from the folder in which it is made", () => {
    expect(new DirectoryMediaStore(relative(process.cwd(), store.path)).path).toBe(store.path);
  });

  it("MED-15 refuses a blob whose bytes have changed, with a line that says what to do", async () => {
    await store.put(KEY, BYTES);
    await writeFile(join(store.path, KEY), BYTES.toString().replace("contract", "contrast"));
    const error = await store.get(KEY).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BlobDamagedError);
    expect(String(error)).toMatch(
      /is damaged: its 21 bytes have the SHA-256 .* Delete .* attach the file again/,
    );
  });

  it("MED-15 mends a blob that was cut off when the bytes are put again", async () => {
    await store.put(KEY, BYTES);
    await writeFile(join(store.path, KEY), BYTES.subarray(0, 5));
    await store.put(KEY, BYTES);
    expect(await store.get(KEY)).toEqual(BYTES);
  });

  it("MED-16 follows no symbolic link out of its folder, neither to read nor to write", async () => {
    const secret = join(folder, "secret");
    await writeFile(secret, BYTES);
    await mkdir(store.path, { recursive: true });
    await symlink(secret, join(store.path, KEY));
    await expect(store.get(KEY)).rejects.toThrow("is not a regular file");
    await store.put(KEY, BYTES);
    expect(await store.get(KEY)).toEqual(BYTES);
    expect((await stat(secret)).isFile()).toBe(true);
    expect(await readdir(folder)).toEqual(["checkpoints", "secret"]);
  });

  it("MED-16 does not wait for ever at a pipe that stands in a blob's place", async () => {
    await mkdir(store.path, { recursive: true });
    execFileSync("mkfifo", [join(store.path, KEY)]);
    await expect(store.get(KEY)).rejects.toThrow("is not a regular file");
  });

  it("MED-17 is shared by many processes that put the same blobs at once", async () => {
    const script = join(import.meta.dirname, "put-blobs.ts");
    const hooks = pathToFileURL(join(import.meta.dirname, "../support/typescript-hooks.mjs")).href;
    const exits = Array.from({ length: 4 }, () => {
      const child = fork(script, [store.path], { execArgv: ["--import", hooks] });
      return new Promise((resolve) => child.once("exit", resolve));
    });
    expect(await Promise.all(exits)).toEqual([0, 0, 0, 0]);
    const names = await readdir(store.path);
    expect(names).toHaveLength(20);
    for (const name of names) expect(await store.get(name)).toBeDefined();
  });

  it("MED-14 says in one line that its folder cannot be written", async () => {
    await writeFile(join(folder, "checkpoints"), "a file");
    await expect(store.put(KEY, BYTES)).rejects.toThrow(/^Cannot write .*: a part of the path is a file/);
    expect(await store.get(KEY)).toBeUndefined();
  });

  it("MED-14 leaves no temporary file behind", async () => {
    await Promise.all(Array.from({ length: 10 }, () => store.put(KEY, BYTES)));
    const other = randomBytes(100);
    await store.put(`${createHash("sha256").update(other).digest("hex")}.bin`, other);
    expect(await readdir(store.path)).toHaveLength(2);
  });
});
