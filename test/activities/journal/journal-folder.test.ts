import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JournalFolder } from "../../../src/activities/journal/journal-folder.js";

const ID = "0123456789abcdef".repeat(2);
const OTHER = "f".repeat(32);

let root = "";
let folder: JournalFolder;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-journal-"));
  folder = new JournalFolder(join(root, "journal"));
  await folder.prepare();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const names = async (): Promise<readonly string[]> => (await readdir(folder.path)).sort();

describe("the folder of a journal", () => {
  it("JRN-8 is made for its owner only, as are its files", async () => {
    folder.writeNow(ID, "one");
    folder.writeNow(OTHER, "two");
    await folder.append(OTHER, " three");
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
    for (const name of await names()) {
      expect((await stat(join(folder.path, name))).mode & 0o777).toBe(0o600);
    }
    expect(await names()).toEqual([`${ID}.json`, `${OTHER}.json`]);
  });

  it("JRN-7 is used as it is or not at all: one that others may open, a file and a link are refused", async () => {
    const open = join(root, "open");
    await mkdir(open, { mode: 0o755 });
    await expect(new JournalFolder(open).prepare()).rejects.toThrow("others may open it: chmod 700 it");
    expect((await stat(open)).mode & 0o777).toBe(0o755);
    await writeFile(join(root, "file"), "");
    await expect(new JournalFolder(join(root, "file")).prepare()).rejects.toThrow();
    await symlink(folder.path, join(root, "link"));
    await expect(new JournalFolder(join(root, "link")).prepare()).rejects.toThrow("not a folder");
  });

  it("JRN-14 gives an entry to one of those who want it, who ends it or gives it back", async () => {
    folder.writeNow(ID, "text");
    const claims = await Promise.all([1, 2, 3, 4].map(() => folder.claim(ID)));
    expect(claims.filter((text) => text !== undefined)).toEqual(["text"]);
    expect(await folder.files()).toEqual([]);
    await folder.release(ID);
    expect(await folder.files()).toMatchObject([{ id: ID, bytes: 4 }]);
    expect(await folder.claim(ID)).toBe("text");
    await folder.settle(ID);
    expect(await names()).toEqual([]);
  });

  it("JRN-12 takes more of an entry behind what is there, and nothing of one that another has taken", async () => {
    folder.writeNow(ID, "one");
    folder.appendNow(ID, " two");
    await folder.append(ID, " three");
    expect(await folder.read(ID)).toBe("one two three");
    await folder.claim(ID);
    expect(() => folder.appendNow(ID, "four")).toThrow("ENOENT");
    await expect(folder.append(ID, "four")).rejects.toThrow("ENOENT");
    expect(await names()).toEqual([`${ID}.claim`]);
  });

  it("JRN-19 removes what an interrupted write has left, after a while, and touches no file of another name", async () => {
    await writeFile(join(folder.path, "notes.txt"), "mine");
    await writeFile(join(folder.path, `${ID}.json.1.2.tmp`), "half");
    await writeFile(join(folder.path, `${OTHER}.7.tmp`), "half");
    await utimes(join(folder.path, `${OTHER}.7.tmp`), 1, 1);
    expect(await folder.files()).toEqual([]);
    expect(await names()).toEqual([`${ID}.json.1.2.tmp`, "notes.txt"]);
  });

  it("JRN-14 frees an entry whose taker has died in the middle", async () => {
    folder.writeNow(ID, "text");
    await folder.claim(ID);
    expect(await folder.files()).toEqual([]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    await folder.files();
    vi.useRealTimers();
    expect(await folder.files()).toMatchObject([{ id: ID }]);
  });

  it("JRN-6 keeps the last twenty damaged entries aside", async () => {
    for (let count = 0; count < 25; count++) {
      const id = count.toString(16).padStart(32, "0");
      folder.writeNow(id, "damaged");
      await folder.claim(id);
      await folder.condemn(id);
    }
    expect(await names()).toEqual(["damaged"]);
    expect(await readdir(join(folder.path, "damaged"))).toHaveLength(20);
  });

  it("JRN-6 reads nothing through a link, and takes a folder for a damaged entry", async () => {
    await writeFile(join(root, "secret"), "secret");
    await symlink(join(root, "secret"), join(folder.path, `${ID}.json`));
    await mkdir(join(folder.path, `${OTHER}.json`));
    expect(await folder.read(ID)).toBeNull();
    expect(await folder.claim(OTHER)).toBeNull();
    await folder.condemn(OTHER);
    expect(await folder.read(OTHER)).toBeUndefined();
  });
});
