// A PostgreSQL server of a system's own, as initdb sets it up (fsync on): the one of this machine, found and started as the cluster of
// test/cluster does it. What the peers on PostgreSQL start.
import "../../test/support/typescript-hooks.mjs";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DEBIAN_POSTGRESQL = "/usr/lib/postgresql";
/** Loaded when called: the hooks must be there before. */
const tools = () => import("../../test/cluster/cluster-tools.ts");

/** Undefined, or why there is none: for `missing` of a peer. */
export async function missingPostgresql(env = process.env, systemFolder = DEBIAN_POSTGRESQL) {
  const { findPostgresql, MissingToolError } = await tools();
  try {
    await findPostgresql(env, systemFolder);
    return undefined;
  } catch (error) {
    if (error instanceof MissingToolError) return error.message;
    throw error;
  }
}

/** `env` has POSTGRESQL_URL. The data is in a folder of its own, which goes with the server: the account that PostgreSQL wants where root
 *  starts it cannot enter the suite's. */
export async function startPostgresqlServer() {
  const { findPostgresql } = await tools();
  const { startPostgresql } = await import("../../test/cluster/postgresql.ts");
  const { findFreePorts } = await import("../../src/server/free-ports.js");
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-bench-postgresql-")));
  await chmod(folder, 0o755);
  const [port] = await findFreePorts(1);
  const server = await startPostgresql(await findPostgresql(process.env, DEBIAN_POSTGRESQL), folder, port);
  return {
    env: { POSTGRESQL_URL: `postgresql://${server.user}@127.0.0.1:${port}/postgres` },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
