/** Whose a record on disk is: a process, told apart from every other one that its reader can see. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isSameProcess, startOf } from "./process-identity.js";

export interface ProcessOwner {
  readonly host: string;
  /** Of the running kernel; null where the system does not say. */
  readonly boot_id: string | null;
  /** A pid means something within its namespace only; null where the system has none. */
  readonly pid_namespace: string | null;
  readonly pid: number;
  readonly process_started: string | null;
}

export function thisProcess(): ProcessOwner {
  return {
    host: hostname(),
    boot_id: textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pid_namespace: textOf(() => readlinkSync("/proc/self/ns/pid")),
    pid: process.pid,
    process_started: startOf(process.pid),
  };
}

/**
 * `unknown` of a process on another machine, of an earlier boot or in another container: its pid says nothing here, so it
 * must not be taken for dead.
 */
export function lifeOf(owner: ProcessOwner, here: ProcessOwner): "alive" | "dead" | "unknown" {
  if (!sharePids(owner, here)) return "unknown";
  return isSameProcess(owner.pid, owner.process_started) ? "alive" : "dead";
}

function sharePids(owner: ProcessOwner, here: ProcessOwner): boolean {
  if (owner.boot_id !== here.boot_id || owner.pid_namespace !== here.pid_namespace) return false;
  return here.boot_id !== null && here.pid_namespace !== null ? true : owner.host === here.host;
}

function textOf(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
