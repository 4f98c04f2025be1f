/** One `temporal server start-dev` process: its start, its end, and that it does not outlive the process that wanted it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { BoundedLog } from "./bounded-log.js";
import { guardProcess } from "./guard-process.js";

export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, however that came. */
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** SIGTERM, then SIGKILL if it has not ended after `graceMs`. Resolves when it has ended. */
  stop(graceMs?: number): Promise<void>;
}

const STOP_GRACE_MS = 5_000;

/** Starts the process in a session of its own: Ctrl-C in the terminal reaches us alone, and we stop it after our own work. */
export async function spawnServer(
  binary: string,
  args: readonly string[],
  log: BoundedLog,
): Promise<ServerProcess> {
  const child = spawn(binary, args, { stdio: ["ignore", log.descriptor, log.descriptor], detached: true });
  await once(child, "spawn");
  const pid = child.pid as number;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // Where there is no `sh` the next start on the same folder still finds a left-over server by its pid file.
  const releaseGuard = guardProcess(pid);
  const onExit = (): void => kill(child, "SIGTERM");
  process.once("exit", onExit);
  void exited.then(() => {
    process.removeListener("exit", onExit);
    releaseGuard();
  });
  // It is stopped by whoever started it; it must not keep that process alive by itself.
  child.unref();
  return {
    pid,
    exited,
    hasExited: () => ended(child),
    stop: (graceMs = STOP_GRACE_MS) => stop(child, exited, graceMs),
  };
}

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function stop(child: ChildProcess, exited: Promise<void>, graceMs: number): Promise<void> {
  if (ended(child)) return;
  child.ref();
  const timer = setTimeout(() => kill(child, "SIGKILL"), graceMs);
  kill(child, "SIGTERM");
  await exited;
  clearTimeout(timer);
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!ended(child)) child.kill(signal);
}
