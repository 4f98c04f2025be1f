/** What a cluster is made of: PostgreSQL as the system has it, and Temporal's server, built once from its Go module. */
import { mkdir, readdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { cacheFolder, isExecutable } from "../../src/server/binary-cache.js";
import { runProgram } from "../../src/server/run-program.js";

/** 1.32.1 and later want a newer Go than Debian's. */
const SERVER_VERSION = "1.32.0";
/** Where Debian puts each version in a folder of its own, outside of PATH. */
const DEBIAN_POSTGRESQL = "/usr/lib/postgresql";
const BUILD_MS = 30 * 60_000;

export interface ClusterTools {
  /** The folder of `initdb` and `postgres`. */
  readonly postgresqlFolder: string;
  readonly server: string;
  readonly sqlTool: string;
}

/** Something that the cluster needs is not on this machine: the message says what, and how to get it. */
export class MissingToolError extends Error {
  override readonly name = "MissingToolError";
}

/** @throws MissingToolError */
export async function findClusterTools(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  systemFolder: string = DEBIAN_POSTGRESQL,
): Promise<ClusterTools> {
  const postgresqlFolder = await findPostgresql(env, systemFolder);
  return { postgresqlFolder, ...(await findServer(env, say)) };
}

/** The folder of `initdb` and `postgres`. @throws MissingToolError */
export async function findPostgresql(env: NodeJS.ProcessEnv, systemFolder: string): Promise<string> {
  const versions = await readdir(systemFolder).catch(() => []);
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  const folders = [
    ...(env.HOLDFAST_POSTGRESQL === undefined ? [] : [env.HOLDFAST_POSTGRESQL]),
    ...newestFirst.map((version) => join(systemFolder, version, "bin")),
    ...(env.PATH ?? "").split(delimiter),
  ];
  for (const folder of folders) {
    if ((await isExecutable(join(folder, "initdb"))) && (await isExecutable(join(folder, "postgres"))))
      return folder;
  }
  throw new MissingToolError(
    "PostgreSQL is not here: install it (apt-get install postgresql), or name the folder of its initdb in HOLDFAST_POSTGRESQL.",
  );
}

async function findServer(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<Pick<ClusterTools, "server" | "sqlTool">> {
  const folder =
    env.HOLDFAST_TEMPORAL_SERVER ??
    join(cacheFolder(env), `temporal-server-${SERVER_VERSION}-${process.arch}`);
  const tools = { server: join(folder, "server"), sqlTool: join(folder, "sql") };
  const found = async (): Promise<boolean> =>
    (await isExecutable(tools.server)) && (await isExecutable(tools.sqlTool));
  if (!(await found())) {
    if (env.HOLDFAST_TEMPORAL_SERVER !== undefined)
      throw new MissingToolError(
        `HOLDFAST_TEMPORAL_SERVER names ${folder}, and there is no server and sql in it.`,
      );
    await buildServer(folder, env, say);
  }
  return tools;
}

/** Some five minutes of two cores, once a machine. */
async function buildServer(
  folder: string,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const { code, output } = await runProgram("go", ["version"], { env, timeoutMs: 10_000 });
  if (code !== 0)
    throw new MissingToolError(
      `Temporal's server ${SERVER_VERSION} is not here, and no Go to build it: install Go 1.26, or name a folder with its programs server and sql in HOLDFAST_TEMPORAL_SERVER.`,
    );
  say(`building Temporal's server ${SERVER_VERSION} with ${output.split(" ")[2]}: some minutes, this once`);
  await mkdir(dirname(folder), { recursive: true });
  const building = { ...env, GOBIN: folder };
  for (const program of ["cmd/server", "cmd/tools/sql"]) {
    const target = `go.temporal.io/server/${program}@v${SERVER_VERSION}`;
    const built = await runProgram("go", ["install", target], { env: building, timeoutMs: BUILD_MS });
    if (built.code !== 0)
      throw new MissingToolError(
        `go install ${target} failed: ${built.output.split("\n").slice(-3).join(" ")}`,
      );
  }
}
