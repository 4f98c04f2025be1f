/** The embedded Temporal server: a dev server of our own on free ports of 127.0.0.1, its state in a SQLite file. */
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLineOf } from "../connection/process-identity.js";
import { ServerUnreachableError, UsageError } from "../core/errors/errors.js";
import type { JsonValue } from "../core/json.js";
import { type BoundedLog, openBoundedLog } from "./bounded-log.js";
import { findTemporalBinary } from "./find-temporal-binary.js";
import { findFreePorts } from "./free-ports.js";
import { belongsTo, isPortFree, portHolder } from "./port-holder.js";
import { lockServerFolder } from "./server-lock.js";
import { type ServerProcess, spawnServer } from "./server-process.js";
import { untilListening, waitUntilServing } from "./wait-until-serving.js";

export interface EmbeddedServerOptions {
  /** Holds `temporal.db` with its `-wal` and `-shm`, `temporal.log` and `server.json`; made if it is missing. */
  readonly folder: string;
  /** Temporal's web UI. Default true. */
  readonly ui?: boolean;
  /** Fixed ports; default: free ones. */
  readonly ports?: { readonly grpc?: number; readonly ui?: number };
  /** Default `holdfast`. */
  readonly namespace?: string;
  /** Days that closed conversations stay in the server. Default 30. */
  readonly retentionDays?: number;
  /** The `temporal` executable; default: the first that `findTemporalBinary` finds. */
  readonly binary?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Lines about a first download. */
  readonly onProgress?: (line: string) => void;
  /** Temporal's dynamic configuration, by key; stands above what Holdfast sets for its server. */
  readonly dynamicConfig?: Readonly<Record<string, JsonValue>>;
}

export interface EmbeddedServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly pid: number;
  /** Of the server, such as `1.32.0`. */
  readonly version: string;
  readonly logPath: string;
  /** Resolves when the server has ended, also by itself. */
  readonly exited: Promise<void>;
  /** Stops it: SIGTERM, after `graceMs` (5 s) SIGKILL. May be called again. */
  stop(graceMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * For a server with one shard and one user. By default it looks at each of its queues 20 times a second at most, which turns that
 * follow one upon the other reach; and a timer that is set for the next moment may come due a second later, as that of a call
 * that is to be made again.
 */
const DYNAMIC_CONFIG: NonNullable<EmbeddedServerOptions["dynamicConfig"]> = {
  "history.transferProcessorMaxPollRPS": 500,
  "history.timerProcessorMaxPollRPS": 500,
  "history.visibilityProcessorMaxPollRPS": 500,
  "history.timerProcessorMaxTimeShift": "50ms",
};

/**
 * Commits are written ahead, each still synced before it counts (decision 0035): SQLite's default makes, syncs and deletes a
 * file of its own for each, a third of what a turn waits for the server.
 */
const SQLITE_PRAGMAS: readonly string[] = ["journal_mode=wal", "synchronous=full"];

const HOST = "127.0.0.1";
const NAMESPACE = "holdfast";
const RETENTION_DAYS = 30;
const START_MS = 30_000;
const START_ATTEMPTS = 3;
const COMMAND_SHOWN = 200;
/** A server that lost its port ends in less, where the system does not tell who has it. */
const LOST_PORT_MS = 500;

/**
 * Starts the server and resolves when it serves its namespace. A server left over on the same folder by a process that
 * died is ended first. Throws UsageError when a live process runs one there or holds a port that was asked for,
 * ServerUnreachableError when there is no executable or it does not come to serve.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const binary = options.binary ?? (await findTemporalBinary(options)).path;
  const database = join(folder, "temporal.db");
  const lock = await lockServerFolder(folder, database);
  const log = openBoundedLog(join(folder, "temporal.log"));
  try {
    const started = await startOnPorts(binary, database, log, options, lock.setServer);
    void started.server.exited.then(() => {
      log.close();
      lock.release();
    });
    return handle(started, log.path, options);
  } catch (error) {
    log.close();
    lock.release();
    throw error;
  }
}

interface Started {
  readonly server: ServerProcess;
  readonly grpcPort: number;
  readonly uiPort: number;
  readonly version: string;
}

/** Where another server answers on the port, ours would seem to serve: its clients would be that one's. */
async function assertPortsFree({ ports }: EmbeddedServerOptions): Promise<void> {
  for (const port of [ports?.grpc, ports?.ui]) {
    if (port === undefined || (await isPortFree(port))) continue;
    throw new UsageError(
      `Port ${port} of ${HOST} is in use${holderInWords(port)}: stop what uses it, or choose another port.`,
    );
  }
}

function holderInWords(port: number): string {
  const pid = portHolder(port);
  if (pid === null) return "";
  const command = commandLineOf(pid)?.split("\n")[0] ?? "";
  return ` by process ${pid}${command === "" ? "" : ` (${command.slice(0, COMMAND_SHOWN)})`}`;
}

/** A free port may be taken by another process before the server binds it: then once more, on others. */
async function startOnPorts(
  binary: string,
  database: string,
  log: BoundedLog,
  options: EmbeddedServerOptions,
  onSpawn: (pid: number) => void,
): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    const [grpcFree = 0, uiFree = 0] = await findFreePorts(2);
    const grpcPort = options.ports?.grpc ?? grpcFree;
    const uiPort = options.ports?.ui ?? uiFree;
    await assertPortsFree(options);
    const server = await spawnOrExplain(binary, startArguments(database, grpcPort, uiPort, options), log);
    onSpawn(server.pid);
    try {
      return { server, grpcPort, uiPort, version: await untilServing(server, grpcPort, options) };
    } catch (error) {
      const ended = server.hasExited();
      await server.stop();
      if (!ended || attempt === START_ATTEMPTS) throw doesNotStart(log.path, error);
    }
  }
}

async function spawnOrExplain(
  binary: string,
  args: readonly string[],
  log: BoundedLog,
): Promise<ServerProcess> {
  try {
    return await spawnServer(binary, args, log);
  } catch (error) {
    throw new ServerUnreachableError(
      `${binary} cannot be run (${(error as Error).message}): name a working \`temporal\` executable, or leave it to Holdfast`,
      { cause: error },
    );
  }
}

async function untilServing(
  server: ServerProcess,
  port: number,
  options: EmbeddedServerOptions,
): Promise<string> {
  const ended = new AbortController();
  void server.exited.then(() => ended.abort(new Error("it ended by itself")));
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(START_MS)]);
  const address = `${HOST}:${port}`;
  await untilListening(address, signal);
  await assertOurs(server, port);
  return waitUntilServing({
    address,
    namespace: options.namespace ?? NAMESPACE,
    retentionDays: options.retentionDays ?? RETENTION_DAYS,
    signal,
  });
}

/** Two servers that start at once may both find the port free; only one of them gets it. */
async function assertOurs(server: ServerProcess, port: number): Promise<void> {
  const holder = portHolder(port);
  if (holder === null) await Promise.race([server.exited, delay(LOST_PORT_MS)]);
  else if (!belongsTo(holder, server.pid)) await server.stop();
  if (server.hasExited()) throw new Error(`port ${port} went to another process${holderInWords(port)}`);
}

function startArguments(
  database: string,
  grpcPort: number,
  uiPort: number,
  options: EmbeddedServerOptions,
): readonly string[] {
  const ui = options.ui === false ? ["--headless"] : ["--ui-ip", HOST, "--ui-port", String(uiPort)];
  const dynamic = Object.entries({ ...DYNAMIC_CONFIG, ...options.dynamicConfig }).flatMap(([key, value]) => [
    "--dynamic-config-value",
    `${key}=${JSON.stringify(value)}`,
  ]);
  return [
    ...["server", "start-dev", "--ip", HOST, "--port", String(grpcPort)],
    ...ui,
    ...["--db-filename", database, "--namespace", options.namespace ?? NAMESPACE],
    ...SQLITE_PRAGMAS.flatMap((pragma) => ["--sqlite-pragma", pragma]),
    ...["--log-level", "warn", "--log-format", "json"],
    ...dynamic,
  ];
}

function handle(started: Started, logPath: string, options: EmbeddedServerOptions): EmbeddedServer {
  const { server, grpcPort, uiPort, version } = started;
  return {
    address: `${HOST}:${grpcPort}`,
    namespace: options.namespace ?? NAMESPACE,
    uiUrl: options.ui === false ? null : `http://${HOST}:${uiPort}`,
    pid: server.pid,
    version,
    logPath,
    exited: server.exited,
    stop: (graceMs) => server.stop(graceMs),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

function doesNotStart(logPath: string, cause: unknown): ServerUnreachableError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const last = lastLine(logPath);
  return new ServerUnreachableError(
    `The embedded Temporal server did not start (${reason}${last === "" ? "" : `; its last words: ${last}`}): see ${logPath}, or set TEMPORAL_ADDRESS to a server of your own`,
    { cause },
  );
}

const lastLine = (path: string): string =>
  (readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "").slice(0, 300);
