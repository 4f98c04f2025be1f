/** Everything on one machine: the embedded server, the stream hub, the simulator where it is wanted, and `.holdfast/`. */

import { join } from "node:path";
import { Cleanup } from "../connection/cleanup.js";
import { createDevFolder, removeDevState, writeDevState } from "../connection/dev-folder.js";
import { type LastPorts, readLastPorts, writeLastPorts } from "../connection/last-ports.js";
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
  /** Server, web page and simulator take the ports that they had in this folder last, where those are free and no others are named. */
  readonly keepPorts?: boolean;
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
  const { env, dynamicConfig = {}, keepPorts = false } = options;
  const last = keepPorts ? readLastPorts(folder) : {};
  const ports = await portsOf(options.ports, last);
  const server = parts.use(await startEmbeddedServer({ folder, env, dynamicConfig, ports, ...progress }));
  const hub = await startStreamHub();
  parts.defer(() => hub.stop());
  const simulator = await simulatorOf(options.simulate, last);
  if (simulator !== null) parts.use(simulator);
  if (keepPorts) writeLastPorts(folder, portsInUse(server, simulator));
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

/** Those that were named, else the last ones that are free: clients that are still there find the server again. */
async function portsOf(
  named: LocalStackOptions["ports"] = {},
  last: LastPorts,
): Promise<NonNullable<EmbeddedServerOptions["ports"]>> {
  const grpc = named.grpc ?? (await freeOne(last.server));
  const ui = named.ui ?? (await freeOne(last.ui));
  return {
    ...(grpc === undefined ? {} : { grpc }),
    ...(ui === undefined || ui === grpc ? {} : { ui }),
  };
}

async function freeOne(port: number | undefined): Promise<number | undefined> {
  return port !== undefined && (await isPortFree(port)) ? port : undefined;
}

/** On its last port, so that workers beside a `holdfast dev` that starts again go on calling it. */
async function simulatorOf(
  wanted: LocalStackOptions["simulate"],
  { simulator: port }: LastPorts,
): Promise<Simulator | null> {
  if (wanted === undefined || wanted === false) return null;
  const options = wanted === true ? { keepBodies: false } : wanted;
  if (port !== undefined && options.port === undefined) {
    const onLast = await startSimulator({ ...options, port }).catch(() => null);
    if (onLast !== null) return onLast;
  }
  return startSimulator(options);
}

function portsInUse({ address, uiUrl }: EmbeddedServer, simulator: Simulator | null): LastPorts {
  return { server: portIn(address), ui: portIn(uiUrl), simulator: portIn(simulator?.url ?? null) };
}

function portIn(place: string | null): number | undefined {
  const port = /:(\d+)$/.exec(place ?? "")?.[1];
  return port === undefined ? undefined : Number(port);
}

/** The stack's own server counts, whatever cluster the environment names. */
function withoutServer(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_")));
}
