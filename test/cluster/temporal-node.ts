/** One node of a Temporal cluster: all four services in a process, as the server's own configuration has them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntilServing } from "../../src/server/wait-until-serving.js";
import { guardChild } from "../support/guard-child.js";

const SERVICES = ["frontend", "history", "matching", "worker"] as const;
const START_MS = 60_000;
const STOP_MS = 10_000;
/** Fixed when the databases are made. */
const HISTORY_SHARDS = 16;

export interface NodeOptions {
  readonly server: string;
  /** Of the cluster; the node has a folder of its own in it. */
  readonly folder: string;
  readonly name: string;
  /** Two for each service: of its calls, and of the membership. */
  readonly ports: readonly number[];
  readonly database: { readonly port: number; readonly user: string };
}

export class TemporalNode {
  readonly name: string;
  readonly address: string;
  readonly #options: NodeOptions;
  #process: ChildProcess | undefined;

  constructor(options: NodeOptions) {
    this.name = options.name;
    this.address = `127.0.0.1:${options.ports[0]}`;
    this.#options = options;
  }

  get isRunning(): boolean {
    const { exitCode, signalCode } = this.#process ?? { exitCode: 0, signalCode: null };
    return exitCode === null && signalCode === null;
  }

  /** Resolves when it listens to callers. */
  async start(): Promise<void> {
    const { server, folder, name } = this.#options;
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    const config = join(own, "config.yaml");
    const dynamic = join(own, "dynamic.yaml");
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(configuration(this.#options, dynamic)));
    writeFileSync(dynamic, "");
    const log = openSync(join(own, "server.log"), "a");
    const args = ["--config-file", config, "--allow-no-auth", "start"];
    this.#process = spawn(server, args, { cwd: own, stdio: ["ignore", log, log] });
    await once(this.#process, "spawn");
    guardChild(this.#process, "KILL");
  }

  async serving(namespace: string): Promise<void> {
    await waitUntilServing({
      address: this.address,
      namespace,
      retentionDays: 3,
      signal: AbortSignal.timeout(START_MS),
    });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const node = this.#process;
    if (node === undefined || !this.isRunning) return;
    const exited = once(node, "exit");
    node.kill(signal);
    await exited;
  }

  async stop(): Promise<void> {
    await Promise.race([this.kill("SIGTERM"), delay(STOP_MS).then(() => this.kill())]);
  }
}

function configuration({ ports, database }: NodeOptions, dynamicConfig: string): object {
  const services = SERVICES.map((service, index) => {
    const [grpcPort, membershipPort] = ports.slice(index * 2);
    return [service, { rpc: { grpcPort, membershipPort, bindOnLocalHost: true } }];
  });
  const frontend = `127.0.0.1:${ports[0]}`;
  return {
    log: { stdout: true, level: "warn" },
    persistence: {
      defaultStore: "default",
      visibilityStore: "visibility",
      numHistoryShards: HISTORY_SHARDS,
      datastores: {
        default: { sql: store(database, "temporal") },
        visibility: { sql: store(database, "temporal_visibility") },
      },
    },
    global: { membership: { maxJoinDuration: "30s", broadcastAddress: "127.0.0.1" } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: "active",
      currentClusterName: "active",
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: "frontend", rpcAddress: frontend },
      },
    },
    dcRedirectionPolicy: { policy: "noop" },
    archival: { history: { state: "disabled" }, visibility: { state: "disabled" } },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: "60s" },
  };
}

function store({ port, user }: NodeOptions["database"], databaseName: string): object {
  return {
    pluginName: "postgres12",
    databaseName,
    connectAddr: `127.0.0.1:${port}`,
    connectProtocol: "tcp",
    user,
    password: "none",
    maxConns: 20,
    maxIdleConns: 20,
    maxConnLifetime: "1h",
  };
}
