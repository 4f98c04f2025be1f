/** Who listens on a port of this machine, as far as the system tells it to this user. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";

const LISTENING = "0A";
const LSOF_MS = 2_000;

/** The process that listens on the port of 127.0.0.1, or of all addresses; null where nobody does or it cannot be told. */
export function portHolder(port: number): number | null {
  return process.platform === "linux" ? holderByKernel(port) : holderByLsof(port);
}

/** Whether the port of 127.0.0.1 can be listened on at this moment. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Whether the process is the other one, or was started in its session, as what a server's wrapper starts is. */
export function belongsTo(pid: number, leader: number): boolean {
  return pid === leader || sessionOf(pid) === leader;
}

/** Field 6 of the kernel's `stat`: the fourth after the command in parentheses. */
function sessionOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
  } catch {
    return null;
  }
}

function holderByKernel(port: number): number | null {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeners(table, port)));
  if (inodes.size === 0) return null;
  const pids = list("/proc").filter((name) => /^\d+$/.test(name));
  const holder = pids.find((pid) => socketsOf(pid).some((inode) => inodes.has(inode)));
  return holder === undefined ? null : Number(holder);
}

/** The inodes of the sockets that listen on the port, from a table of the kernel: address in hex, state, …, inode. */
function listeners(table: string, port: number): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return read(table)
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTENING && local?.endsWith(`:${wanted}`) === true)
    .map((fields) => fields[9] ?? "");
}

function socketsOf(pid: string): readonly string[] {
  return list(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`)) ?? [];
      return inode === undefined ? [] : [inode];
    } catch {
      return [];
    }
  });
}

function holderByLsof(port: number): number | null {
  try {
    const text = execFileSync("lsof", ["-nP", "-t", `-iTCP:${port}`, "-sTCP:LISTEN"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: LSOF_MS,
    });
    const pid = Number(text.trim().split("\n")[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
