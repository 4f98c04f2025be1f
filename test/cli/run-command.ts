/** Commands of the built package. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { CommandHost, type Outcome } from "./command-host.js";

export type { Outcome } from "./command-host.js";

export const MAIN: string = join(import.meta.dirname, "../../dist/cli/main.js");

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What stands on stdin; nothing without it. */
  readonly input?: string;
}

/** They start a server, a worker or Temporal's own command, of whose runtime a process has one. */
const OF_THEIR_OWN: ReadonlySet<string | undefined> = new Set([
  "chat",
  "dev",
  "replay",
  "simulate",
  "temporal",
  "tour",
  "worker",
]);

const host = new CommandHost();

/** Runs a command to its end: in a process that the test file's commands share, where they can share one. */
export function runCommand(args: readonly string[], options: CommandOptions): Promise<Outcome> {
  if (OF_THEIR_OWN.has(args[0])) return runProcess(args, options);
  const { cwd, env = {}, input = "" } = options;
  return host.run({ args, cwd, env: { ...process.env, ...env }, input });
}

function start(args: readonly string[], { cwd, env }: CommandOptions) {
  return spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...process.env, ...env }, stdio: "pipe" });
}

/** Runs a command to its end, as a process of its own: as users run it, and half a second slower. */
export async function runProcess(args: readonly string[], options: CommandOptions): Promise<Outcome> {
  const child = start(args, options);
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

export interface RunningCommand extends AsyncDisposable {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves once stderr, or stdout, has shown the text. */
  shows(text: string): Promise<void>;
  /** Resolves with the exit code once it has ended by itself. */
  ended(): Promise<number | null>;
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a command that runs until it is stopped. */
export function startCommand(args: readonly string[], options: CommandOptions): RunningCommand {
  const child = start(args, options);
  const closed = once(child, "close");
  const shown = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (piece: string) => {
      shown[name] += piece;
    });
  }
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await closed;
    return child.exitCode;
  };
  const shows = async (wanted: string): Promise<void> => {
    while (!`${shown.stdout}${shown.stderr}`.includes(wanted)) {
      if (child.exitCode !== null) throw new Error(`It ended before it said ${wanted}: ${shown.stderr}`);
      await delay(20);
    }
  };
  return {
    child,
    stdout: () => shown.stdout,
    stderr: () => shown.stderr,
    shows,
    ended: async () => {
      await closed;
      return child.exitCode;
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")),
  };
}
