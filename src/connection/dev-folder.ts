/** `.holdfast/`: where a `holdfast dev` keeps its state, and where the other commands find it. */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { AgentSpec } from "../core/agent.js";
import { isJsonObject } from "../core/json.js";
import { isSameProcess, startOf } from "./process-identity.js";
import { replaceFileSync } from "./replace-file-sync.js";
import type { StreamAddress } from "./stream-address.js";

export const DEV_FOLDER_NAME = ".holdfast";
const STATE_FILE = "dev.json";

/** What a running `holdfast dev` tells the other commands. Holds the stream's token: readable by its owner only. */
export interface DevState {
  readonly version: 1;
  readonly pid: number;
  /** Tells the process from a later one of the same pid; absent where the system does not say. */
  readonly process_started?: string;
  readonly address: string;
  readonly namespace: string;
  readonly task_queue: string;
  readonly ui_url: string | null;
  readonly stream: StreamAddress | null;
  /** Base URL of the simulator that the workers call; absent with the real services. */
  readonly simulator_url?: string;
  /** Those that its worker has, for who starts a conversation by an agent's name; absent without any. */
  readonly agents?: readonly AgentSpec[];
  readonly started_at: string;
}
export type DevStateInput = Omit<DevState, "version" | "process_started">;

/** A `.holdfast/` that was found. `state` is set only while its process runs; `problem` says in words, without a remedy, why it is not used. */
export interface DevFolder {
  /** The folder that holds `.holdfast/`. */
  readonly root: string;
  readonly path: string;
  readonly state: DevState | null;
  readonly problem: string | null;
}

/** Looks for `.holdfast/` in the folder and then in each of its parents; null where there is none. */
export function findDevFolder(from: string): DevFolder | null {
  let root = resolve(from);
  for (;;) {
    const path = join(root, DEV_FOLDER_NAME);
    if (isFolder(path)) return { root, path, ...readDevState(path) };
    const parent = dirname(root);
    if (parent === root) return null;
    root = parent;
  }
}

/** Makes `root/.holdfast/`, kept out of version control, and returns its path. Harmless when it is there. */
export function createDevFolder(root: string): string {
  const path = join(resolve(root), DEV_FOLDER_NAME);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileIfAbsent(join(path, ".gitignore"), "*\n");
  return path;
}

/** Writes `dev.json` in one step, readable by its owner only. */
export function writeDevState(path: string, input: DevStateInput): void {
  const started = startOf(input.pid);
  const state: DevState = { version: 1, ...input, ...(started === null ? {} : { process_started: started }) };
  const file = join(path, STATE_FILE);
  replaceFileSync(file, `${JSON.stringify(state, null, 2)}\n`);
  chmodSync(file, 0o600);
}

/** Removes `dev.json` if it is that process's: a `holdfast dev` started since keeps its own. */
export function removeDevState(path: string, pid: number): void {
  const file = join(path, STATE_FILE);
  const state = parseState(readText(file));
  if (state === null || state.pid === pid) rmSync(file, { force: true });
}

function readDevState(path: string): Pick<DevFolder, "state" | "problem"> {
  const file = join(path, STATE_FILE);
  const text = readText(file);
  if (text === null) return { state: null, problem: null };
  if (!isOurs(file)) return unused(`${file} belongs to another user and is not used`);
  const state = parseState(text);
  if (state === null) return unused(`${file} cannot be read`);
  if (!isSameProcess(state.pid, state.process_started))
    return unused(`the \`holdfast dev\` that wrote ${file} (pid ${state.pid}) no longer runs`);
  return { state, problem: null };
}

const unused = (problem: string): Pick<DevFolder, "state" | "problem"> => ({ state: null, problem });

/** A folder above may be writable by others: a file of theirs must not name the server that conversations go to. */
function isOurs(file: string): boolean {
  const user = process.getuid?.();
  return user === undefined || [user, 0].includes(statSync(file).uid);
}

function parseState(text: string | null): DevState | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isDevState(value) ? value : null;
  } catch {
    return null;
  }
}

function isDevState(value: unknown): value is DevState {
  if (typeof value !== "object" || value === null) return false;
  const state = value as Partial<Record<keyof DevState, unknown>>;
  const texts = [state.address, state.namespace, state.task_queue, state.started_at];
  return (
    state.version === 1 &&
    Number.isSafeInteger(state.pid) &&
    texts.every((text) => typeof text === "string") &&
    (state.ui_url === null || typeof state.ui_url === "string") &&
    ["undefined", "string"].includes(typeof state.simulator_url) &&
    ["undefined", "string"].includes(typeof state.process_started) &&
    (state.stream === null || isStreamAddress(state.stream)) &&
    (state.agents === undefined || (Array.isArray(state.agents) && state.agents.every(isJsonObject)))
  );
}

function isStreamAddress(value: unknown): value is StreamAddress {
  if (typeof value !== "object" || value === null) return false;
  const { url, token } = value as Partial<Record<keyof StreamAddress, unknown>>;
  return typeof url === "string" && typeof token === "string";
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    return "";
  }
}

function writeFileIfAbsent(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
