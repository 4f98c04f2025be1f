import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { TestStack } from "./stack.js";

/** A script of this folder as a process in the stack's folder. Whoever starts it sees to its end. */
export function startTestProcess(
  script: string,
  args: readonly string[],
  stack: TestStack,
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    cwd: stack.folder,
    env: process.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
}
