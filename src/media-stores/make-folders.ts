/** A folder with those above it. Node's own way tries for ever where the system answers that there is no such place (`/proc`). */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Any number of callers, in any number of processes, may make the same folders at once. Resolves to the first folder that was
 * created, undefined where all were there. @throws what the system refuses.
 */
export async function makeFolders(folder: string, mode?: number): Promise<string | undefined> {
  const above = dirname(folder);
  try {
    return await makeFolder(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === folder) throw error;
  }
  const first = await makeFolders(above, mode);
  const last = await makeFolder(folder, mode);
  return first ?? last;
}

async function makeFolder(folder: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(folder, mode === undefined ? {} : { mode });
    return folder;
  } catch (error) {
    if (await isFolder(folder)) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
