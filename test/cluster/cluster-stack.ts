/** What a world of chaos stands on, over a cluster in the place of the embedded server: simulator, stream hub, workers. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Conversations } from "../../src/client/conversations.js";
import { SIMULATOR_VARIABLE } from "../../src/providers/settings.js";
import { startStreamHub } from "../../src/server/stream-hub.js";
import { startSimulator } from "../../src/simulator/simulator.js";
import { BOUNDS, type WorldStack } from "../chaos/world.js";
import { startWorkerProcess } from "../support/stack.js";
import type { Cluster } from "./cluster.js";

/** In a folder that exists. */
export async function startClusterStack(cluster: Cluster, folder: string): Promise<WorldStack> {
  await using parts = new AsyncDisposableStack();
  mkdirSync(join(folder, ".holdfast"));
  const hub = await startStreamHub();
  parts.defer(() => hub.stop());
  const simulator = parts.use(await startSimulator());
  const running = parts.move();
  const { address, namespace } = cluster;
  const environment = {
    ...process.env,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    HOLDFAST_STREAM_URL: hub.url,
    HOLDFAST_STREAM_TOKEN: hub.token,
    HOLDFAST_TEST_BOUNDS: JSON.stringify(BOUNDS),
    [SIMULATOR_VARIABLE]: simulator.url,
  };
  return {
    folder,
    simulator,
    conversations: async (options = {}) => {
      const stream = { url: hub.url, token: hub.token };
      return running.use(
        await Conversations.connect({ cwd: folder, address, namespace, stream, ...options }),
      );
    },
    startWorker: async (more = {}) => {
      const worker = await startWorkerProcess(folder, { ...environment, ...more });
      running.defer(() => worker.kill());
      return worker;
    },
    stop: () => running.disposeAsync(),
  };
}
