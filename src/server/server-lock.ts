/** One server a folder: `server.json` names the server that runs on it, and who started it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLineOf, isSameProcess, startOf } from "../connection/process-identity.js";
import { replaceFileSync } from "../connection/replace-file-sync.js";
import { UsageError } from "../core/errors/errors.js";

interface ProcessRecord {
  readonly pid: number;
  readonly started: string | null;
}
interface LockRecord {
  readonly owner: ProcessRecord;
  readonly server: ProcessRecord | null;
  readonly database: string;
}

/** Held while a server runs, or is being started, on a folder. */
export interface ServerLock {
  /** Records the server, so that it can be found should this process die without stopping it. */
  setServer(pid: number): void;
  release(): void;
}

const LOCK_FILE = "server.json";
const ORPHAN_GRACE_MS = 5_000;

/**
 * Takes the folder. A server left over by a process that died is ended first, if it is verifiably the one recorded.
 * Throws UsageError when a live process holds the folder.
 */
export async function lockServerFolder(folder: string, database: string): Promise<ServerLock> {
  const path = join(folder, LOCK_FILE);
  const owner: ProcessRecord = { pid: process.pid, started: startOf(process.pid) };
  const record = (server: ProcessRecord | null): string =>
    `${JSON.stringify({ owner, server, database } satisfies LockRecord)}\n`;
  while (!createExclusively(path, record(null))) await clear(path, folder);
  return {
    setServer: (pid) => replaceFileSync(path, record({ pid, started: startOf(pid) })),
    release: () => rmSync(path, { force: true }),
  };
}

function createExclusively(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes a record whose owner is gone, and ends its server. */
async function clear(path: string, folder: string): Promise<void> {
  const record = await readRecord(path);
  if (record !== null) {
    if (isSameProcess(record.owner.pid, record.owner.started)) throw heldBy(record, folder);
    await endOrphan(record);
  }
  rmSync(path, { force: true });
}

/** Null for a record that is gone or damaged. One that is just being written is empty for a moment: read twice. */
async function readRecord(path: string): Promise<LockRecord | null> {
  const first = parseRecord(path);
  if (first !== null) return first;
  await delay(100);
  return parseRecord(path);
}

function parseRecord(path: string): LockRecord | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isLockRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isLockRecord(value: unknown): value is LockRecord {
  if (typeof value !== "object" || value === null) return false;
  const { owner, server, database } = value as Partial<Record<keyof LockRecord, unknown>>;
  return (
    isProcessRecord(owner) && (server === null || isProcessRecord(server)) && typeof database === "string"
  );
}

function isProcessRecord(value: unknown): value is ProcessRecord {
  return typeof value === "object" && value !== null && Number.isSafeInteger((value as ProcessRecord).pid);
}

function heldBy({ owner, server }: LockRecord, folder: string): UsageError {
  const which = server === null ? "is being started" : `(pid ${server.pid}) runs`;
  return new UsageError(
    `A Temporal server ${which} on ${folder} already, started by process ${owner.pid}: use that one, stop it, or choose another folder`,
  );
}

/** Ends a left-over server. A process that is not surely it (another start time, no such database in its command) is left alone. */
async function endOrphan({ server, database }: LockRecord): Promise<void> {
  if (server === null || !isOrphan(server, database)) return;
  signal(server.pid, "SIGTERM");
  const deadline = Date.now() + ORPHAN_GRACE_MS;
  while (isOrphan(server, database) && Date.now() < deadline) await delay(50);
  if (isOrphan(server, database)) signal(server.pid, "SIGKILL");
  while (isOrphan(server, database)) await delay(20);
}

const isOrphan = (server: ProcessRecord, database: string): boolean =>
  isSameProcess(server.pid, server.started) && commandLineOf(server.pid)?.includes(database) === true;

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in between.
  }
}
