// A Temporal server of a system's own, for those that need one: the dev server with its state in a SQLite file, as `temporal server
// start-dev --db-filename` runs it. What a Temporal peer's `peer.mjs` starts.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedServer } from "../../src/server/embedded-server.js";

/** `env` has TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE. */
export async function startTemporalServer({ folder, env = process.env }) {
  const place = join(folder, "temporal");
  await mkdir(place, { recursive: true });
  const server = await startEmbeddedServer({ folder: place, ui: false, namespace: "bench", env });
  return {
    version: server.version,
    env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace },
    stop: () => server.stop(),
  };
}
