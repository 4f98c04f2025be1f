import { execFileSync, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BlobDamagedError } from "../../src/media-stores/blob-damaged-error.js";
import { collect } from "../../src/media-stores/collect.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MediaStoreUnavailableError } from "../../src/media-stores/media-store-unavailable-error.js";
import { streamOf } from "../../src/media-stores/stream-from.js";
import { FileNotWrittenError } from "../../src/media-stores/write-file-atomically.js";

/** What the file system answers to the next writing or reading of a blob: root may write anywhere, and no test fills a disk. */
const failing = vi.hoisted(() => ({ write: "", read: "" }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const failure = (code: string): Error => Object.assign(new Error(`${code}: no`), { code });
  return {
    ...real,
    open: async (path: string, flags: string | number, mode?: number) => {
      if (failing.read !== "" && flags !== "wx") throw failure(failing.read);
      if (failing.write !== "ENOSPC" && failing.write !== "" && flags === "wx") throw failure(failing.write);
      const file = await real.open(path, flags, mode);
      if (failing.write === "ENOSPC" && flags === "wx") {
        file.writeFile = async () => {
          await file.write("half of i");
          throw failure("ENOSPC");
        };
      }
      return file;
    },
  };
});

const BYTES = Buffer.from("%PDF-1.7 the contract");
const KEY = `${createHash("sha256").update(BYTES).digest("hex")}.pdf`;

let folder: string;
let store: DirectoryMediaStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-"));
  store = new DirectoryMediaStore(join(folder, "checkpoints", "media"));
});
afterEach(async () => {
  Object.assign(failing, { write: "", read: "" });
  await rm(folder, { recursive: true });
});

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

  it("MED-17 is shared by many processes that put, read, stream and list the same blobs at once", async () => {
    const script = join(import.meta.dirname, "put-blobs.ts");
    const hooks = pathToFileURL(join(import.meta.dirname, "../support/typescript-hooks.mjs")).href;
    const exits = Array.from({ length: 4 }, (_, index) => {
      const child = fork(script, [store.path, String(index)], { execArgv: ["--import", hooks] });
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

  it("MED-73 says in one line what the system refuses, keeps what it had and nothing else", async () => {
    await store.put(KEY, BYTES);
    const other = randomBytes(100_000);
    const otherKey = `${createHash("sha256").update(other).digest("hex")}.bin`;
    for (const [code, words] of [
      ["ENOSPC", "the disk is full. Free some space"],
      ["EROFS", "the file system is read-only. Choose another folder"],
      ["EACCES", "permission denied. Choose a folder that you may read and write"],
    ] as const) {
      failing.write = code;
      for (const put of [
        () => store.put(otherKey, other),
        () => store.putStream(otherKey, streamOf(other)),
      ]) {
        const error = await put().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(FileNotWrittenError);
        expect(String(error)).toContain(`Cannot write ${join(store.path, otherKey)}: ${words}`);
      }
      expect(await readdir(store.path)).toEqual([KEY]);
      expect(await store.get(KEY)).toEqual(BYTES);
    }
  });

  it("MED-73 says in one line that a blob cannot be read", async () => {
    await store.put(KEY, BYTES);
    for (const code of ["EACCES", "EIO"]) {
      failing.read = code;
      for (const get of [
        () => store.get(KEY),
        async () => collect((await store.getStream(KEY)) ?? streamOf(BYTES)),
      ]) {
        const error = await get().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(MediaStoreUnavailableError);
        expect(String(error)).toMatch(
          /Cannot read .*\.pdf: (permission denied|the disk has failed)[^\n]*\.$/,
        );
      }
    }
  });

  it("MED-74 refuses a folder or a pipe in a blob's place, whatever is asked, and leaves it alone", async () => {
    const file = join(store.path, KEY);
    for (const make of [() => mkdir(file, { recursive: true }), async () => execFileSync("mkfifo", [file])]) {
      await make();
      for (const call of [
        () => store.put(KEY, BYTES),
        () => store.putStream(KEY, streamOf(BYTES), { sizeBytes: BYTES.byteLength }),
        () => store.get(KEY),
        () => store.getStream(KEY),
        () => store.delete(KEY),
      ]) {
        const error = await call().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(BlobDamagedError);
        expect(String(error)).toContain(
          `${file} is not a regular file. Delete it and attach the file again.`,
        );
      }
      expect((await stat(file)).isFile()).toBe(false);
      expect(await readdir(store.path)).toEqual([KEY]);
      await rm(file, { recursive: true });
    }
  });

  it("MED-75 lists its blobs and no other file, folder or link", async () => {
    await store.put(KEY, BYTES);
    const digest = (index: number): string => String(index).repeat(64);
    await writeFile(join(store.path, "notes.txt"), "no blob");
    await writeFile(join(store.path, `.${digest(1)}.tmp`), "left by a crash");
    await writeFile(join(store.path, `${digest(2)}.PDF`), "no key");
    await mkdir(join(store.path, `${digest(3)}.pdf`));
    await mkdir(join(store.path, "closed"));
    await writeFile(join(store.path, "closed", `${digest(4)}.json`), "{}");
    await symlink("/etc/passwd", join(store.path, `${digest(5)}.pdf`));
    const listed: string[] = [];
    for await (const { key } of store.list()) listed.push(key);
    expect(listed).toEqual([KEY]);
  });

  it("MED-75 deletes no file that a link in its folder points to", async () => {
    const secret = join(folder, "secret");
    await writeFile(secret, BYTES);
    await mkdir(store.path, { recursive: true });
    await symlink(secret, join(store.path, KEY));
    await expect(store.delete(KEY)).rejects.toThrow("is not a regular file");
    await rm(join(store.path, KEY));
    await symlink(folder, join(store.path, KEY));
    await store.put(KEY, BYTES);
    expect(await store.get(KEY)).toEqual(BYTES);
    expect(await readFile(secret)).toEqual(BYTES);
    expect(await readdir(folder)).toEqual(["checkpoints", "secret"]);
  });

  it("MED-76 makes a blob young again when it is put again", async () => {
    await store.put(KEY, BYTES);
    for (const put of [
      () => store.put(KEY, BYTES),
      () => store.putStream(KEY, streamOf(BYTES), { sizeBytes: BYTES.byteLength }),
      () => store.putStream(KEY, streamOf(BYTES)),
    ]) {
      await utimes(join(store.path, KEY), 1_000, 1_000);
      await put();
      const { value: blob } = await store.list().next();
      expect(Date.now() - Date.parse(blob?.modified_at ?? "")).toBeLessThan(3_600_000);
    }
  });

  it("MED-14 leaves no temporary file behind", async () => {
    await Promise.all(Array.from({ length: 10 }, () => store.put(KEY, BYTES)));
    const other = randomBytes(100);
    await store.put(`${createHash("sha256").update(other).digest("hex")}.bin`, other);
    expect(await readdir(store.path)).toHaveLength(2);
  });
});
