/** The folder of a journal: a folder of this user, that nobody else may open. */
import { existsSync, lstatSync, mkdirSync, type Stats } from "node:fs";

const OWNER_ONLY = 0o700;

/** A folder that is there already is used as it is or not at all: nobody's rights are changed. Windows has no such rights. */
export function assertPrivate(found: Stats): void {
  if (!found.isDirectory()) throw new Error("it is not a folder");
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error("it belongs to another user");
  if ((found.mode & 0o077) !== 0)
    throw new Error("others may open it: chmod 700 it, or name a folder of its own");
}

/** Makes the folder again where it was deleted under its worker; false where it is there. @throws what keeps it from being used. */
export function remakeFolder(path: string): boolean {
  if (existsSync(path)) return false;
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  assertPrivate(lstatSync(path));
  return true;
}
