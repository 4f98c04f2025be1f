// One system's process as the suite sees it: started, asked, killed, started again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { now } from "./clock.mjs";

const READY_MS = 120_000;

export class AdapterProcess {
  #child;
  #waiting = new Map();
  #last = 0;
  #exited;
  /** When it was started, on the shared clock. */
  spawned;
  /** The marks of its start, on the shared clock; with `ready`, when it said so. */
  marks;

  /** Resolves when it is ready. `log` takes what it prints. */
  static async start({ file, cwd, env, log }) {
    const process = new AdapterProcess();
    await process.#start(file, cwd, env, log);
    return process;
  }

  async #start(file, cwd, env, log) {
    const output = openSync(log, "a");
    this.spawned = now();
    this.#child = spawn(process.execPath, ["--expose-gc", file], {
      cwd,
      env,
      stdio: ["pipe", "pipe", output],
    });
    closeSync(output);
    this.#exited = once(this.#child, "exit").then(([code, signal]) => {
      const error = new Error(`the process ended (${signal ?? code})`);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    this.#child.stdin.on("error", () => undefined);
    const ready = this.#expect("ready");
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#read(line));
    const late = setTimeout(() => this.#child.kill("SIGKILL"), READY_MS);
    const { marks } = await ready.finally(() => clearTimeout(late));
    this.marks = { ...marks, ready: now() };
  }

  get pid() {
    return this.#child.pid;
  }

  /** Rejects with the adapter's word, or where the process ends meanwhile. */
  ask(op, given = {}) {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null)
      return Promise.reject(new Error("the process has ended"));
    const id = ++this.#last;
    const answered = this.#expect(id);
    this.#child.stdin.write(`${JSON.stringify({ id, op, ...given })}\n`);
    return answered;
  }

  /** SIGKILL, now. */
  kill() {
    this.#child.kill("SIGKILL");
  }

  get exited() {
    return this.#exited;
  }

  /** In good order, within 20 seconds. */
  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.stdin.write('{"op":"stop"}\n');
    const late = setTimeout(() => this.kill(), 20_000);
    await this.#exited;
    clearTimeout(late);
  }

  #expect(key) {
    return new Promise((resolve, reject) => this.#waiting.set(key, { resolve, reject }));
  }

  #read(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const key = message.event ?? message.id;
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (message.ok === false) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message);
  }
}
