/** A process that runs commands of the built package one after another. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface Order {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** What stands on stdin, to its end. */
  readonly input: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Started with the first command; it ends with the process that has started it. */
export class CommandHost {
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws Error where the process ends instead of answering. */
  run(order: Order): Promise<Outcome> {
    const outcome = this.#last.then(() => this.#ask(order));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  async #ask(order: Order): Promise<Outcome> {
    const child = this.#running();
    const settled = new AbortController();
    const { signal } = settled;
    const ended = once(child, "exit", { signal }).then(() => {
      this.#child = undefined;
      throw new Error(`The process of the commands ended in the middle of ${order.args.join(" ")}.`);
    });
    const answered = once(child, "message", { signal }).then(([outcome]: Outcome[]) => outcome as Outcome);
    child.send(order);
    try {
      return await Promise.race([answered, ended]);
    } finally {
      settled.abort();
      await Promise.allSettled([answered, ended]);
    }
  }

  #running(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = fork(join(import.meta.dirname, "command-host-process.ts"), {
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.unref();
    child.channel?.unref();
    this.#child = child;
    return child;
  }
}
