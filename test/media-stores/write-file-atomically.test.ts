import { createHash } from "node:crypto";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../../src/core/errors/errors.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { FileNotWrittenError, writeFileAtomically } from "../../src/media-stores/write-file-atomically.js";

/** Which call of the file system fails next, and with what. */
const failing = vi.hoisted(() => ({ call: "", code: "" }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const fail = () => Promise.reject(Object.assign(new Error(`${failing.code}: no`), { code: failing.code }));
  return {
    ...real,
    rename: (from: string, to: string) => (failing.call === "rename" ? fail() : real.rename(from, to)),
    open: async (path: string, flags: string, mode?: number) => {
      const file = await real.open(path, flags, mode);
      if (failing.call === "write" && flags === "wx") {
        file.writeFile = async () => {
          await file.write("half of i");
          return fail();
        };
      }
      if (failing.call === "sync" && flags === "wx") file.sync = fail;
      return file;
    },
  };
});

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-"));
  file = join(folder, "review.json");
});
afterEach(async () => {
  failing.call = "";
  await rm(folder, { recursive: true });
});

describe("writeFileAtomically", () => {
  it("MED-18 writes texts and bytes, replaces an earlier file and leaves nothing else", async () => {
    await writeFileAtomically(file, "first, and longer");
    await writeFileAtomically(file, Buffer.from("second"));
    expect(await readFile(file, "utf8")).toBe("second");
    expect(await readdir(folder)).toEqual(["review.json"]);
  });

  it("MED-18 creates missing folders, with the permissions asked for", async () => {
    const deep = join(folder, "a", "b", "review.json");
    await writeFileAtomically(deep, "text", { mode: 0o600, folderMode: 0o700 });
    expect(await readFile(deep, "utf8")).toBe("text");
    expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o700);
    expect((await stat(deep)).mode & 0o777).toBe(0o600);
  });

  it("MED-19 keeps the earlier file and removes its own when writing, flushing or renaming fails", async () => {
    await writeFile(file, "the earlier one");
    for (const call of ["write", "sync", "rename"]) {
      Object.assign(failing, { call, code: "ENOSPC" });
      const error = await writeFileAtomically(file, "the new one").catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(FileNotWrittenError);
      expect(String(error)).toContain(
        `Cannot write ${file}: the disk is full. Free some space and try again.`,
      );
      expect(await readFile(file, "utf8")).toBe("the earlier one");
      expect(await readdir(folder)).toEqual(["review.json"]);
    }
  });

  it("MED-19 shows a reader the earlier file or the new one, never a part", async () => {
    const texts = ["a".repeat(200_000), "b".repeat(300_000)];
    await writeFileAtomically(file, texts[0] ?? "");
    const writers = Array.from({ length: 10 }, (_, index) =>
      writeFileAtomically(file, texts[index % 2] ?? ""),
    );
    const seen: string[] = [];
    for (let reading = 0; reading < 20; reading += 1) seen.push(await readFile(file, "utf8"));
    await Promise.all(writers);
    expect(seen.filter((text) => !texts.includes(text))).toEqual([]);
    expect(await readdir(folder)).toEqual(["review.json"]);
  });

  it("MED-20 keeps the permissions of the file that it replaces", async () => {
    await writeFile(file, "private");
    await chmod(file, 0o640);
    await writeFileAtomically(file, "still private", { mode: 0o666 });
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  it("MED-20 replaces the file that a link points to, or the link itself when asked to", async () => {
    const link = join(folder, "latest.json");
    await writeFile(file, "old");
    await symlink(file, link);
    await writeFileAtomically(link, "new");
    expect(await readlink(link)).toBe(file);
    expect(await readFile(file, "utf8")).toBe("new");
    await writeFileAtomically(link, "newest", { replaceLink: true });
    expect(await readFile(file, "utf8")).toBe("new");
    expect(await readFile(link, "utf8")).toBe("newest");
  });

  it("MED-21 refuses a folder, a device and a path through a file, each with one line", async () => {
    await mkdir(file);
    await expect(writeFileAtomically(file, "x")).rejects.toThrow(UsageError);
    await expect(writeFileAtomically(file, "x")).rejects.toThrow("it is a folder. Name a file in it.");
    await expect(writeFileAtomically("/dev/null", "x")).rejects.toThrow("it is not a regular file");
    await writeFile(join(folder, "plain"), "");
    await expect(writeFileAtomically(join(folder, "plain", "x.json"), "x")).rejects.toThrow(
      "a part of the path is a file and not a folder",
    );
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  // Node's own recursive mkdir never comes back from such a place.
  it.runIf(process.platform === "linux")(
    "MED-248 says in one line that nothing can be created in a place where the system has none",
    { timeout: 10_000 },
    async () => {
      for (const path of ["/proc/holdfast/m/x.json", "/proc/holdfast/x.json"])
        await expect(writeFileAtomically(path, "x")).rejects.toThrow(
          `Cannot write ${path}: nothing can be created there. Choose another folder.`,
        );
      const key = `${createHash("sha256").update("x").digest("hex")}.txt`;
      const put = new DirectoryMediaStore("/proc/holdfast/media").put(key, new TextEncoder().encode("x"));
      await expect(put).rejects.toThrow(
        /^Cannot write \/proc\/holdfast\/media\/.*nothing can be created there/,
      );
    },
  );
});
