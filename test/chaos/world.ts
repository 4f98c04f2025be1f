/** The real things: a server on its file, the simulator, worker processes that are killed and come back. The driver stays. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TurnBounds } from "../../src/activities/dependencies.js";
import type { Conversations } from "../../src/client/conversations.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../src/server/embedded-server.js";
import type { CallRecord } from "../../src/simulator/call-log.js";
import { startTestStack, type TestStack, type WorkerProcess } from "../support/stack.js";
import type { SeenCall, Span, ToolLine, TraceLine, WorkerLife } from "./observation.js";
import { CALL_MS } from "./paid-calls.js";
import { DRAINED } from "./recovery-times.js";
import { seenCalls } from "./seen-calls.js";

/** So short that a provider that says nothing is given up within the time of a seed. */
export const BOUNDS: Partial<TurnBounds> = {
  retryDelaysMs: [100, 200, 400],
  callMs: CALL_MS,
  providerFailures: 6,
};
const TOOLS = join(import.meta.dirname, "tools.ts");

/** What is broken on purpose, to show that it is seen. */
export type Break = "journal" | "tools";

type MutableLife = { -readonly [Key in keyof WorkerLife]: WorkerLife[Key] } & { stopped: Span[] };

export interface RunningWorker extends WorkerProcess {
  readonly life: MutableLife;
}

/** What a world needs of a stack, whatever server is behind it. */
export type WorldStack = Omit<TestStack, "stack" | "workers">;

/** The server of a world. */
export interface WorldServer {
  /** Resolves when it, or the part of it that was killed, takes calls again. */
  outage(downMs: number): Promise<void>;
  stop(): Promise<void>;
}

export class World implements AsyncDisposable {
  readonly stack: WorldStack;
  readonly conversations: Conversations;
  readonly workers: MutableLife[] = [];
  readonly outages: Span[] = [];
  readonly #running: RunningWorker[] = [];
  readonly #broken: Break | undefined;
  readonly #server: WorldServer;

  private constructor(parts: {
    readonly stack: WorldStack;
    readonly server: WorldServer;
    readonly conversations: Conversations;
    readonly broken: Break | undefined;
  }) {
    this.stack = parts.stack;
    this.conversations = parts.conversations;
    this.#broken = parts.broken;
    this.#server = parts.server;
  }

  static async open(broken?: Break): Promise<World> {
    const stack = await startTestStack({ workers: 0, bounds: BOUNDS });
    return World.over(stack, new DevServer(stack), broken);
  }

  /** Its workers are to be bound by `BOUNDS`. */
  static async over(stack: WorldStack, server: WorldServer, broken?: Break): Promise<World> {
    // Every outage would be told of by every handle.
    const silent = { logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } };
    return new World({ stack, server, conversations: await stack.conversations(silent), broken });
  }

  get folder(): string {
    return this.stack.folder;
  }

  /** Where the workers of a host keep their calls. */
  journal(host: string): string {
    return join(this.folder, ".holdfast", `journal-${host}`);
  }

  async startWorker(host: string, more: NodeJS.ProcessEnv = {}): Promise<RunningWorker> {
    const spawnedAt = Date.now();
    const worker = await this.stack.startWorker({
      HOLDFAST_JOURNAL: this.#broken === "journal" ? "none" : this.journal(host),
      HOLDFAST_TEST_TOOLS: TOOLS,
      HOLDFAST_TEST_TRACE: join(this.folder, "trace.log"),
      ...(this.#broken === "tools" ? { HOLDFAST_CHAOS_BREAK: "tools" } : {}),
      ...more,
    });
    const life: MutableLife = { pid: worker.pid, host, spawnedAt, readyAt: Date.now(), stopped: [] };
    this.workers.push(life);
    void worker.exited.then(() => {
      life.killed ??= { at: Date.now(), why: "itself" };
    });
    const running = Object.assign(worker, { life });
    this.#running.push(running);
    return running;
  }

  /** Asks it to end, and waits for that. */
  async drain(worker: RunningWorker): Promise<void> {
    worker.life.killed ??= { at: Date.now(), why: DRAINED };
    await worker.kill("SIGTERM");
  }

  async killAll(why: string): Promise<void> {
    await Promise.all(this.#running.map((worker) => this.kill(worker, why)));
  }

  async kill(worker: RunningWorker, why: string): Promise<void> {
    worker.life.killed ??= { at: Date.now(), why };
    await worker.kill();
  }

  async freeze({ pid, life }: RunningWorker, ms: number): Promise<void> {
    if (life.killed !== undefined) return;
    const from = Date.now();
    process.kill(pid, "SIGSTOP");
    await delay(ms);
    if (life.killed === undefined) process.kill(pid, "SIGCONT");
    life.stopped.push({ from, to: Date.now() });
  }

  /** Kills the server, or a part of it, and starts it again. */
  async outage(downMs: number): Promise<void> {
    const from = Date.now();
    await this.#server.outage(downMs);
    this.outages.push({ from, to: Date.now() });
  }

  /** Resolves when the provider is in the middle of some answer, or does not come to one for a while. */
  async inAnswer(): Promise<void> {
    const { simulator } = this.stack;
    const from = Date.now();
    const isNow = (call: CallRecord): boolean => call.receivedAt >= from && call.chunksSent > 0;
    await simulator.waitForCall(isNow, { timeoutMs: 3_000 }).catch(() => undefined);
  }

  calls(): readonly SeenCall[] {
    return seenCalls(this.stack.simulator.calls);
  }

  trace(): Promise<readonly TraceLine[]> {
    return this.#lines<TraceLine>("trace.log");
  }

  toolLines(): Promise<readonly ToolLine[]> {
    return this.#lines<ToolLine>("tools.log");
  }

  async #lines<T>(name: string): Promise<readonly T[]> {
    const text = await readFile(join(this.folder, name), "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    await this.stack.stop();
  }
}

/** The embedded server on its file. */
class DevServer implements WorldServer {
  readonly #folder: string;
  #server: Pick<EmbeddedServer, "pid" | "exited" | "address" | "stop">;

  constructor({ folder, stack }: TestStack) {
    this.#folder = join(folder, ".holdfast");
    this.#server = stack.server;
  }

  async outage(downMs: number): Promise<void> {
    process.kill(this.#server.pid, "SIGKILL");
    await this.#server.exited;
    await delay(downMs);
    const grpc = Number(this.#server.address.split(":")[1]);
    this.#server = await startEmbeddedServer({ folder: this.#folder, ui: false, ports: { grpc } });
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
