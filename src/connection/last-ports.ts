/** The ports that a `holdfast dev` had in its folder last: what others have written down of it is true again at its next start. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFileSync } from "./replace-file-sync.js";

export interface LastPorts {
  readonly server?: number | undefined;
  readonly ui?: number | undefined;
  /** Of the last one that simulated. */
  readonly simulator?: number | undefined;
}

const FILE = "dev.ports";
const LOWEST = 1_024;
const HIGHEST = 65_535;

/** Without those that are not known, or could be no port of this user. */
export function readLastPorts(folder: string): LastPorts {
  const ports = parse(join(folder, FILE));
  return known((name) => ports[name]);
}

/** Of those that are not told the last ones are kept. */
export function writeLastPorts(folder: string, ports: LastPorts): void {
  const last = readLastPorts(folder);
  const all = known((name) => ports[name] ?? last[name]);
  replaceFileSync(join(folder, FILE), `${JSON.stringify(all)}\n`);
}

function known(portOf: (name: keyof LastPorts) => unknown): LastPorts {
  const names = ["server", "ui", "simulator"] as const;
  const entries = names.map((name) => [name, portOf(name)] as const);
  return Object.fromEntries(entries.filter(([, port]) => isPort(port)));
}

function isPort(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= LOWEST && value <= HIGHEST;
}

function parse(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
