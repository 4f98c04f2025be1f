/** One server, stream hub and simulator for a test file, in a folder of their own, with worker processes on demand. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnBounds } from "../../src/activities/dependencies.js";
import type { ConnectOptions } from "../../src/client/connect-options.js";
import { Conversations } from "../../src/client/conversations.js";
import { type LocalStack, startLocalStack } from "../../src/server/local-stack.js";
import type { SimulatorOptions } from "../../src/simulator/options.js";
import type { Simulator } from "../../src/simulator/simulator.js";
import { guardChild } from "./guard-child.js";

export interface TestStackOptions {
  readonly simulate?: SimulatorOptions;
  /** Worker processes that poll before `startTestStack` resolves. Default 1. */
  readonly workers?: number;
  /** How those workers bound a turn, so that a test need not wait as long as a user would. */
  readonly bounds?: Partial<TurnBounds>;
  /** Whether those workers have the tools of `test-tools.ts`. */
  readonly tools?: true;
  /** Of the server. */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
}

export interface WorkerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, also by itself. */
  readonly exited: Promise<unknown>;
  /** What it has logged so far: warnings and errors. */
  log(): string;
  /** Resolves when it has come to the point of a call at which HOLDFAST_TEST_STOP_AT stops it. */
  stopped(): Promise<void>;
  /** Sends the signal (default SIGKILL) and resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface TestStack {
  /** Where `.holdfast/` lies; child processes started in it find the server by themselves. */
  readonly folder: string;
  readonly stack: LocalStack;
  readonly simulator: Simulator;
  /** All that were started, dead ones included. */
  readonly workers: readonly WorkerProcess[];
  /** A connection of this process, closed by `stop`. */
  conversations(options?: ConnectOptions): Promise<Conversations>;
  /** A worker process from `dist/`, ready for work. */
  startWorker(env?: NodeJS.ProcessEnv): Promise<WorkerProcess>;
  stop(): Promise<void>;
}

const WORKER = join(import.meta.dirname, "worker-process.ts");
const TOOLS = join(import.meta.dirname, "test-tools.ts");

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-test-")));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const { simulate = {}, dynamicConfig = {} } = options;
  const stack = parts.use(await startLocalStack({ root: folder, env: process.env, simulate, dynamicConfig }));
  const { simulator } = stack;
  if (simulator === null) throw new Error("The stack has no simulator.");
  const running = parts.move();
  const workers: WorkerProcess[] = [];
  const bounds = {
    ...(options.bounds === undefined ? {} : { HOLDFAST_TEST_BOUNDS: JSON.stringify(options.bounds) }),
    ...(options.tools === undefined ? {} : { HOLDFAST_TEST_TOOLS: TOOLS }),
  };
  const startWorker = async (env: NodeJS.ProcessEnv = {}): Promise<WorkerProcess> => {
    const worker = await startWorkerProcess(folder, { ...stack.workerEnv, ...bounds, ...env });
    running.defer(() => worker.kill());
    workers.push(worker);
    return worker;
  };
  await Promise.all(Array.from({ length: options.workers ?? 1 }, () => startWorker())).catch(
    async (error: unknown) => {
      await running.disposeAsync();
      throw error;
    },
  );
  return {
    folder,
    stack,
    simulator,
    workers,
    conversations: async (connect = {}) =>
      running.use(await Conversations.connect({ cwd: folder, ...connect })),
    startWorker,
    stop: () => running.disposeAsync(),
  };
}

/** Resolves when it polls. Whoever starts it ends it. */
export async function startWorkerProcess(folder: string, env: NodeJS.ProcessEnv): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [WORKER], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // One that stands still would not heed anything gentler.
  guardChild(child, "KILL");
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const stopped = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (/^at /m.test(text)) stopped.resolve();
  });
  const exited = once(child, "exit");
  const ready = once(child.stdout, "data");
  await Promise.race([
    ready,
    exited.then(() => {
      throw new Error(`The worker process ended before it was ready: ${log}`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    exited,
    log: () => log,
    stopped: () => stopped.promise,
    kill: (signal = "SIGKILL") => kill(child, exited, signal),
  };
}

async function kill(child: ChildProcess, exited: Promise<unknown>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  await exited;
}
