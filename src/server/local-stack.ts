/** Everything on one machine: the embedded server, the stream hub, the simulator where it is wanted, and `.holdfast/`. */

import { join } from "node:path";
import { Cleanup } from "../connection/cleanup.js";
import { createDevFolder, lastPort, removeDevState, writeDevState } from "../connection/dev-folder.js";
import { resolveSettings, type Settings, type SettingsOptions } from "../connection/settings.js";
import type { AgentSpec } from "../core/agent.js";
import { SIMULATOR_VARIABLE } from "../providers/settings.js";
import type { SimulatorOptions } from "../simulator/options.js";
import { type Simulator, startSimulator } from "../simulator/simulator.js";
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from "./embedded-server.js";
import { isPortFree } from "./port-holder.js";
import { type StreamHub, startStreamHub } from "./stream-hub.js";

export interface LocalStackOptions {
  /** The folder that gets `.holdfast/`. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The simulator answers in the place of all providers. */
  readonly simulate?: boolean | SimulatorOptions;
  readonly settings?: SettingsOptions;
  /** Those of its worker, by which clients of the folder may start conversations. */
  readonly agents?: readonly AgentSpec[];
  /** Fixed ports of the server; default: free ones. */
  readonly ports?: NonNullable<EmbeddedServerOptions["ports"]>;
  /** Without `ports`: the server is on the port that it had in this folder last, where that is free. */
  readonly keepPort?: boolean;
  /** Of the server, for tests. */
  readonly dynamicConfig?: NonNullable<EmbeddedServerOptions["dynamicConfig"]>;
  /** Lines about a first download. */
  readonly onProgress?: (line: string) => void;
}

export interface LocalStack extends AsyncDisposable {
  readonly server: EmbeddedServer;
  readonly hub: StreamHub;
  readonly simulator: Simulator | null;
  readonly settings: Settings;
  /** The environment for workers of this stack: it names the simulator where there is one. */
  readonly workerEnv: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Starts the parts and writes `.holdfast/dev.json`, by which the commands find them. Stops in the opposite order. */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  await using parts = new Cleanup();
  const folder = createDevFolder(options.root);
  const progress = options.onProgress === undefined ? {} : { onProgress: options.onProgress };
  const ports = await portsOf(options, folder);
  const { env, dynamicConfig = {} } = options;
  const server = parts.use(await startEmbeddedServer({ folder, env, dynamicConfig, ports, ...progress }));
  const hub = await startStreamHub();
  parts.defer(() => hub.stop());
  const simulator = await simulatorOf(options.simulate);
  if (simulator !== null) parts.use(simulator);
  writeDevState(folder, {
    pid: process.pid,
    address: server.address,
    namespace: server.namespace,
    task_queue: options.settings?.taskQueue ?? options.env.HOLDFAST_TASK_QUEUE ?? "holdfast",
    ui_url: server.uiUrl,
    stream: { url: hub.url, token: hub.token },
    ...(simulator === null ? {} : { simulator_url: simulator.url }),
    ...(options.agents === undefined || options.agents.length === 0 ? {} : { agents: options.agents }),
    started_at: new Date().toISOString(),
  });
  parts.defer(() => removeDevState(folder, process.pid));
  const settings = resolveSettings({
    env: withoutServer(options.env),
    cwd: options.root,
    options: {
      ...options.settings,
      address: server.address,
      namespace: server.namespace,
      stream: { url: hub.url, token: hub.token },
      mediaStore: options.settings?.mediaStore ?? options.env.HOLDFAST_MEDIA_STORE ?? join(folder, "media"),
      payloadStore:
        options.settings?.payloadStore ?? options.env.HOLDFAST_PAYLOAD_STORE ?? join(folder, "payloads"),
    },
  });
  const running = parts.move();
  const stop = (): Promise<void> => running.disposeAsync();
  const workerEnv =
    simulator === null ? options.env : { ...options.env, [SIMULATOR_VARIABLE]: simulator.url };
  return { server, hub, simulator, settings, workerEnv, stop, [Symbol.asyncDispose]: stop };
}

/** The last port of the folder, where it is free: clients that are still there find the server again. */
async function portsOf(
  { ports, keepPort = false }: LocalStackOptions,
  folder: string,
): Promise<NonNullable<EmbeddedServerOptions["ports"]>> {
  if (ports !== undefined || !keepPort) return ports ?? {};
  const grpc = lastPort(folder);
  return grpc !== null && (await isPortFree(grpc)) ? { grpc } : {};
}

async function simulatorOf(wanted: LocalStackOptions["simulate"]): Promise<Simulator | null> {
  if (wanted === undefined || wanted === false) return null;
  return startSimulator(wanted === true ? { keepBodies: false } : wanted);
}

/** The stack's own server counts, whatever cluster the environment names. */
function withoutServer(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_")));
}
