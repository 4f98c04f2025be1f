/** Files that are there whole or not at all, whatever stops the process in the middle. */
import { randomUUID } from "node:crypto";
import { chmod, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type ExitCode, HoldfastError, UsageError } from "../core/errors/errors.js";
import { makeFolders } from "./make-folders.js";

/** A file could not be written; an earlier one of that name is as it was. */
export class FileNotWrittenError extends HoldfastError {
  readonly code = "FileNotWrittenError";
  readonly exitCode: ExitCode = 1;
}

/** Chunks are written as they come; a source that throws is a write that fails. */
export type FileData = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteFileOptions {
  /** Permissions of a new file; a file that is replaced keeps its own. Default: those the system gives. */
  readonly mode?: number;
  /** Permissions of folders that are created on the way. Default: those the system gives. */
  readonly folderMode?: number;
  /** Replaces a symbolic link itself, where otherwise the file that it points to is replaced. */
  readonly replaceLink?: boolean;
}

/**
 * Writes a file through a temporary one beside it: written, flushed to the disk, renamed, the folder flushed as well.
 * Missing folders are created. When anything fails, the temporary file goes and an earlier file stays as it was.
 *
 * @throws UsageError for a path that is a folder or a device; FileNotWrittenError for all that the system refuses.
 */
export async function writeFileAtomically(
  path: string,
  data: FileData,
  options: WriteFileOptions = {},
): Promise<void> {
  try {
    const target =
      options.replaceLink === true ? resolve(path) : await realpath(path).catch(() => resolve(path));
    const mode = (await modeOfFile(target, path, options.replaceLink === true)) ?? options.mode;
    const folder = dirname(target);
    const created = await makeFolders(folder, options.folderMode);
    await replaceFile(target, data, mode);
    await flushFolders(folder, created);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new FileNotWrittenError(`Cannot write ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The permissions of the file that is about to be replaced, undefined where there is none. */
async function modeOfFile(target: string, path: string, ofLink: boolean): Promise<number | undefined> {
  const there = await (ofLink ? lstat : stat)(target).catch(() => undefined);
  if (there === undefined || there.isSymbolicLink()) return undefined;
  if (there.isDirectory()) throw new UsageError(`Cannot write ${path}: it is a folder. Name a file in it.`);
  if (!there.isFile()) throw new UsageError(`Cannot write ${path}: it is not a regular file. Name another.`);
  return there.mode & 0o777;
}

async function replaceFile(target: string, data: FileData, mode: number | undefined): Promise<void> {
  const temporary = join(dirname(target), temporaryName());
  try {
    await writeFlushed(temporary, data, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A write that is killed leaves a file of such a name beside the one that it was to become. */
export function temporaryName(): string {
  return `.${randomUUID()}.tmp`;
}

const TEMPORARY = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

async function writeFlushed(path: string, data: FileData, mode: number | undefined): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  // `open` cuts the mode by the umask; a file that is replaced must not change its own.
  if (mode !== undefined) await chmod(path, mode);
}

/** Makes the rename, and the folders created for it, survive a power cut. */
async function flushFolders(folder: string, created: string | undefined): Promise<void> {
  await flushFolder(folder);
  if (created === undefined) return;
  const levels = relative(dirname(created), folder).split(sep).length;
  let parent = folder;
  for (let level = 0; level < levels; level += 1) {
    parent = dirname(parent);
    await flushFolder(parent);
  }
}

/** Some systems cannot flush a folder; there the rename is as safe as they make it. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied. Choose a folder that you may read and write",
  EPERM: "permission denied. Choose a folder that you may read and write",
  EROFS: "the file system is read-only. Choose another folder",
  ENOSPC: "the disk is full. Free some space and try again",
  EDQUOT: "your disk quota is used up. Free some space and try again",
  ENOTDIR: "a part of the path is a file and not a folder",
  EEXIST: "a part of the path is a file and not a folder",
  ENAMETOOLONG: "the name is too long",
  EIO: "the disk has failed to read or write it",
  EMFILE: "too many files are open. Raise the limit of open files",
  ENOENT: "nothing can be created there. Choose another folder",
  EISDIR: "it is a folder. Name a file in it",
};

/** What the system says, as the end of a sentence with its remedy. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}
