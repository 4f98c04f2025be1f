/** The outer end of a process that the tour starts: forked early, ordered to work later, gone for certain at the end. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { builtFile } from "../../connection/built-file.js";
import { TourError } from "./tour-error.js";
import type { ProcessReport } from "./tour-message.js";

const GRACE_MS = 3_000;

export class TourProcess<Order extends object> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #name: string;

  /** @param entry the entry in `cli/tour/`, without its extension. */
  constructor(entry: "worker-process" | "continuation-process", name: string) {
    const path = builtFile(`cli/tour/${entry}.js`);
    this.#child = fork(path, { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#name = name;
    this.#exited = once(this.#child, "exit");
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when the process has reported that it is ready. */
  async order(order: Order): Promise<void> {
    this.#child.send(order);
    const ended = this.#exited.then(() => ({ failed: "it ended before it was ready" }));
    const [report] = await Promise.race([
      once(this.#child, "message") as Promise<[ProcessReport]>,
      ended.then((report): [ProcessReport] => [report]),
    ]);
    if ("failed" in report) throw new TourError(`The ${this.#name} failed: ${report.failed}`);
  }

  /** Resolves when the process has ended by itself. */
  async end(): Promise<void> {
    await this.#exited;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Tells the process to end by closing the channel to it; kills it when it does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}
