/** A process that a test has started does not outlive the test, however that ends. */
import type { ChildProcess } from "node:child_process";
import { guardProcess } from "../../src/server/guard-process.js";

/** Without a pid it never started. */
export function guardChild(child: ChildProcess, signal: Parameters<typeof guardProcess>[1]): void {
  if (child.pid === undefined) return;
  const release = guardProcess(child.pid, signal);
  child.once("exit", release);
}
