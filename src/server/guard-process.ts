/** Ends another process when this one dies in a way that runs no handler: SIGKILL, a crash. */
import { spawn } from "node:child_process";

/** `$0` is the process, `$1` the signal. */
const SCRIPT = 'read -r line; [ "$line" = released ] || kill -s "$1" "$0"';

/**
 * A shell waits on a pipe that only this process holds open, and sends the signal when the kernel closes it. Where there is no `sh`
 * nothing is guarded.
 *
 * @returns ends the guard: to be called once the process has ended, for its id may be another's then
 */
export function guardProcess(pid: number, signal: "TERM" | "QUIT" | "KILL" = "TERM"): () => void {
  if (process.platform === "win32") return () => undefined;
  const shell = spawn("sh", ["-c", SCRIPT, String(pid), signal], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  // The pipe of a child is a socket: it must not keep this process alive either.
  if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();
  return () => shell.stdin.end("released\n");
}
