/** The files of a journal: one a call, whole or not there, readable by their owner only, taken by renaming. */
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { lstat, open, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFileSync } from "../../connection/replace-file-sync.js";
import { makeFolders } from "../../media-stores/make-folders.js";
import { isAbsent, openRegularFile } from "../../media-stores/read-regular-file.js";
import { assertPrivate } from "./private-folder.js";

const NAMES = /^(?<id>[0-9a-f]{32})\.(?:(?<entry>json)|(?<claim>claim)|(?<temporary>[\w.]*tmp))$/;
const DAMAGED = "damaged";
const DAMAGED_KEPT = 20;
/** Nobody takes so long to end a call: whoever claimed it has died in the middle. */
const CLAIM_MS = 30_000;
const TEMPORARY_MS = 60_000;
/** Whoever has taken an entry away has taken it over. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

export interface JournalFile {
  readonly id: string;
  readonly bytes: number;
  /** When it was last written, and how long ago that is, in milliseconds. */
  readonly writtenMs: number;
  readonly ageMs: number;
}

/**
 * Nothing is flushed to the disk. A process that is killed leaves the kernel with all that it has written; only a power
 * cut takes entries with it, and then a call is made a second time. A flush would cost every answer some milliseconds.
 */
export class JournalFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder and tries it. @throws Error that says what keeps it from being used. */
  async prepare(): Promise<void> {
    await makeFolders(this.path, 0o700);
    assertPrivate(await lstat(this.path));
    const probe = join(this.path, `${"0".repeat(32)}.${process.pid}.tmp`);
    await writeFile(probe, "probe", { mode: 0o600 });
    await rm(probe, { force: true });
  }

  /** A new entry, before anything else happens in this process. @throws what the system says. */
  writeNow(id: string, text: string): void {
    replaceFileSync(this.#entry(id), text);
  }

  /**
   * More of an entry, before anything else happens in this process. Behind what is there: to put a file in the place of another
   * makes some file systems write it out at once, which took two milliseconds of every turn.
   *
   * @throws what the system says, also where the entry is gone.
   */
  appendNow(id: string, text: string): void {
    const file = openSync(this.#entry(id), APPEND);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  }

  /** The same, beside what else happens. */
  async append(id: string, text: string): Promise<void> {
    const file = await open(this.#entry(id), APPEND);
    await file.writeFile(text).finally(() => file.close());
  }

  /** Beside the turn that follows: an entry that a kill leaves here is of a call that has ended, and changes nothing. */
  async remove(id: string): Promise<void> {
    try {
      await unlink(this.#entry(id));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  /** The entries. What a crash has left is put right on the way; files of other names are not touched. */
  async files(): Promise<readonly JournalFile[]> {
    const files: JournalFile[] = [];
    for (const name of await readdir(this.path)) {
      const { id, entry, claim, temporary } = NAMES.exec(name)?.groups ?? {};
      if (id === undefined) continue;
      const found = await lstat(join(this.path, name)).catch(() => undefined);
      if (found === undefined) continue;
      const ageMs = Date.now() - found.mtimeMs;
      if (entry !== undefined) files.push({ id, bytes: found.size, writtenMs: found.mtimeMs, ageMs });
      // A renaming leaves the time of the last write as it is.
      if (claim !== undefined && Date.now() - found.ctimeMs > CLAIM_MS) await this.release(id);
      if (temporary !== undefined && ageMs > TEMPORARY_MS) await rm(join(this.path, name), { force: true });
    }
    return files;
  }

  /** The text of an entry; undefined where it is gone, null where it is no file that can be read. */
  read(id: string): Promise<string | undefined | null> {
    return readText(this.#entry(id));
  }

  /** Takes an entry, so that nobody else acts on it: its text as `read` gives it, undefined where another was first. */
  async claim(id: string): Promise<string | undefined | null> {
    try {
      await rename(this.#entry(id), this.#claim(id));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
    return readText(this.#claim(id));
  }

  /** The claimed entry has been dealt with. */
  async settle(id: string): Promise<void> {
    await rm(this.#claim(id), { force: true, recursive: true });
  }

  /** Gives a claimed entry back, for a later try. */
  async release(id: string): Promise<void> {
    await rename(this.#claim(id), this.#entry(id)).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  }

  /** Moves a claimed entry out of the way; the last twenty such are kept for whoever wants to look. */
  async condemn(id: string): Promise<void> {
    const folder = join(this.path, DAMAGED);
    await makeFolders(folder, 0o700);
    await rename(this.#claim(id), join(folder, `${Date.now()}-${id}`)).catch(() => this.settle(id));
    const kept = (await readdir(folder)).sort();
    const old = kept.slice(0, Math.max(0, kept.length - DAMAGED_KEPT));
    await Promise.all(old.map((name) => rm(join(folder, name), { force: true, recursive: true })));
  }

  #entry(id: string): string {
    return join(this.path, `${id}.json`);
  }

  #claim(id: string): string {
    return join(this.path, `${id}.claim`);
  }
}

async function readText(path: string): Promise<string | undefined | null> {
  try {
    const file = await openRegularFile(path, () => new Error("no file"));
    if (file === undefined) return undefined;
    try {
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
