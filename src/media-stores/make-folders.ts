/** A folder with those above it. Node's own way tries for ever where the system answers that there is no such place (`/proc`). */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Resolves to the first folder that was created, undefined where all were there. @throws what the system refuses. */
export async function makeFolders(folder: string, mode?: number): Promise<string | undefined> {
  const options = mode === undefined ? {} : { mode };
  try {
    await mkdir(folder, options);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await isFolder(folder))) return undefined;
    const above = dirname(folder);
    if (code !== "ENOENT" || above === folder || (await isFolder(above))) throw error;
  }
  const first = await makeFolders(dirname(folder), mode);
  await mkdir(folder, options).catch(async (error: NodeJS.ErrnoException) => {
    // Another process was as fast.
    if (error.code !== "EEXIST" || !(await isFolder(folder))) throw error;
  });
  return first ?? folder;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
