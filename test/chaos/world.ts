/** The real things: a server on its file, the simulator, worker processes that are killed and come back. The driver stays. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Conversations } from "../../src/client/conversations.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../src/server/embedded-server.js";
import type { CallRecord } from "../../src/simulator/call-log.js";
import { startTestStack, type TestStack, type WorkerProcess } from "../support/stack.js";
import type { SeenCall, Span, ToolLine, TraceLine, WorkerLife } from "./observation.js";
import { CALL_MS } from "./paid-calls.js";
import { DRAINED } from "./recovery-times.js";
import { seenCalls } from "./seen-calls.js";

/** So short that a provider that says nothing is given up within the time of a seed. */
const BOUNDS = { retryDelaysMs: [100, 200, 400], callMs: CALL_MS, providerFailures: 6 };
const TOOLS = join(import.meta.dirname, "tools.ts");

/** What is broken on purpose, to show that it is seen. */
export type Break = "journal" | "tools";

type MutableLife = { -readonly [Key in keyof WorkerLife]: WorkerLife[Key] } & { stopped: Span[] };

export interface RunningWorker extends WorkerProcess {
  readonly life: MutableLife;
}

export class World implements AsyncDisposable {
  readonly stack: TestStack;
  readonly conversations: Conversations;
  readonly workers: MutableLife[] = [];
  readonly outages: Span[] = [];
  readonly #running: RunningWorker[] = [];
  readonly #broken: Break | undefined;
  #server: Pick<EmbeddedServer, "pid" | "exited" | "address" | "stop">;

  private constructor(stack: TestStack, conversations: Conversations, broken: Break | undefined) {
    this.stack = stack;
    this.conversations = conversations;
    this.#broken = broken;
    this.#server = stack.stack.server;
  }

  static async open(broken?: Break): Promise<World> {
    const stack = await startTestStack({ workers: 0, bounds: BOUNDS });
    // Every outage would be told of by every handle.
    const silent = { logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } };
    return new World(stack, await stack.conversations(silent), broken);
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

  /** Kills the server, and starts it again on its file and its port. */
  async outage(downMs: number): Promise<void> {
    const from = Date.now();
    process.kill(this.#server.pid, "SIGKILL");
    await this.#server.exited;
    await delay(downMs);
    this.#server = await startEmbeddedServer({
      folder: join(this.folder, ".holdfast"),
      ui: false,
      ports: { grpc: Number(this.#server.address.split(":")[1]) },
    });
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
