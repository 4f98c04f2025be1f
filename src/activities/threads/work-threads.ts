/** The threads of a worker in which the work is done that would keep its loop from beating (ACT-61). */
import { MessageChannel } from "node:worker_threads";
import type { Piscina } from "piscina";
import { builtFile } from "../../connection/built-file.js";
import type { ProviderSettings } from "../../providers/settings.js";
import { RunningTask, type TaskPorts } from "./running-task.js";
import type { StartedTask, TaskName, ThreadTasks } from "./thread-messages.js";

const THREADS = 2;
const IDLE_MS = 30_000;
/** A call waits for the provider most of its time, so that a thread has room for many. */
const TASKS_A_THREAD = 1_000;

/** What a thread is made with. It lives in the same process, so that keys leave nothing. */
export interface ThreadData {
  readonly providers: ProviderSettings;
  readonly keyRemedy: string | undefined;
}

export interface WorkThreadsOptions extends ThreadData {
  /** At most; they start when they are needed. Default 2. */
  readonly threads?: number;
  /** How long a thread without work stays, in milliseconds. Default 30,000. */
  readonly idleMs?: number;
  /** Where the thread's code is and how Node is to run it; by default that of the build. */
  readonly source?: { readonly file: string; readonly execArgv: readonly string[] };
}

export class WorkThreads {
  readonly #options: WorkThreadsOptions;
  #pool: Promise<Piscina> | undefined;
  #tasks = 0;

  constructor(options: WorkThreadsOptions) {
    this.#options = options;
  }

  /** How many tasks were given to a thread so far. */
  get tasks(): number {
    return this.#tasks;
  }

  /**
   * Does a task in a thread. Entries follow in pieces, so that a long list does not block the loop either.
   *
   * @throws what the task throws, as `failureOf` rebuilds it; the signal's reason at once; an error for a thread that ends
   * in the middle of it.
   */
  async run<Name extends TaskName>(
    name: Name,
    task: ThreadTasks[Name]["task"],
    entries: readonly ThreadTasks[Name]["entry"][],
    ports: TaskPorts<ThreadTasks[Name]["event"]>,
  ): Promise<ThreadTasks[Name]["result"]> {
    ports.signal?.throwIfAborted();
    this.#pool ??= openPool(this.#options);
    const pool = await this.#pool;
    this.#tasks += 1;
    const { port1, port2 } = new MessageChannel();
    const running = new RunningTask<ThreadTasks[Name]["event"], ThreadTasks[Name]["result"]>(port1, ports);
    const started: StartedTask = { name, task, port: port2 };
    // Its result comes over the port, behind all that it told; this only says that the thread has died.
    pool.run(started, { transferList: [port2] }).catch((error: unknown) => running.fail(threadEnded(error)));
    await running.send(entries);
    return running.result;
  }

  /** Ends the threads that run now, as a crash of them would. What they did fails. */
  async terminate(): Promise<void> {
    const pool = await this.#pool;
    await Promise.all((pool?.threads ?? []).map((thread) => thread.terminate()));
  }

  /** How many threads there are at this moment. */
  async count(): Promise<number> {
    return (await this.#pool)?.threads.length ?? 0;
  }

  /** Ends all threads. What still runs in them fails; a later task opens new ones. */
  async close(): Promise<void> {
    const pool = await this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }
}

/** Loaded at the first large task: most workers never need it. */
async function openPool(options: WorkThreadsOptions): Promise<Piscina> {
  const { Piscina } = await import("piscina");
  const { providers, keyRemedy, threads = THREADS, idleMs = IDLE_MS, source } = options;
  const data: ThreadData = { providers, keyRemedy };
  const pool = new Piscina({
    filename: source?.file ?? builtFile("activities/threads/work-thread.js"),
    ...(source === undefined ? {} : { execArgv: [...process.execArgv, ...source.execArgv] }),
    workerData: data,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    concurrentTasksPerWorker: TASKS_A_THREAD,
    // Waiting on an atomic would stop what a thread does between two tasks, such as noticing a closed connection.
    atomics: "disabled",
    loadBalancer: (_task, workers) => {
      const [least, ...others] = [...workers].sort((a, b) => a.currentUsage - b.currentUsage);
      const isFull = others.length + 1 >= threads;
      return least !== undefined && (least.currentUsage === 0 || isFull) ? least : null;
    },
  });
  // A thread that dies with nothing to do is replaced when there is something.
  pool.on("error", () => undefined);
  return pool;
}

function threadEnded(cause: unknown): Error {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new Error(`A thread of this worker ended in the middle of its work (${said}).`, { cause });
}
