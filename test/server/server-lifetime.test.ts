import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isAlive, startOf } from "../../src/connection/process-identity.js";
import { startEmbeddedServer } from "../../src/server/embedded-server.js";
import { findTemporalBinary } from "../../src/server/find-temporal-binary.js";
import { startParent } from "./parent-process.js";

let folder: string;
let binary: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  ({ path: binary } = await findTemporalBinary());
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-lifetime-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const isGone = (pid: number): Promise<void> =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 15_000, interval: 50 });

async function started(command: string, args: readonly string[]): Promise<ChildProcess & { pid: number }> {
  const child = spawn(command, args, { stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  return child as ChildProcess & { pid: number };
}

/** What a process that died leaves behind: a record whose owner is gone. */
function leaveRecord(serverPid: number, start: string | null = startOf(serverPid)): void {
  const record = {
    owner: { pid: 2 ** 30, started: "1" },
    server: { pid: serverPid, started: start },
    database: join(folder, "temporal.db"),
  };
  writeFileSync(join(folder, "server.json"), JSON.stringify(record));
}

describe("the life of the embedded server", () => {
  it.each([
    ["is killed", "setInterval(() => {}, 1000);", "SIGKILL"],
    ["is interrupted", "setInterval(() => {}, 1000);", "SIGINT"],
    ["is terminated", "setInterval(() => {}, 1000);", "SIGTERM"],
    ["throws", "throw new Error('on purpose');", null],
    ["has nothing left to do", "", null],
  ] as const)("SRV-9 ends with the process that started it, which %s", async (_way, then, signal) => {
    const parent = await startParent(folder, binary, then);
    children.push(parent.process);
    expect(parent.serverPid).toBeGreaterThan(0);
    if (signal !== null) parent.process.kill(signal);
    await isGone(parent.serverPid);
  });

  it("SRV-10 ends a server that was left over on the folder, before it starts its own", async () => {
    const database = join(folder, "temporal.db");
    const args = [
      "server",
      "start-dev",
      "--headless",
      "--ip",
      "127.0.0.1",
      "--port",
      "0",
      "--db-filename",
      database,
    ];
    const orphan = await started(binary, args);
    leaveRecord(orphan.pid);
    await using server = await startEmbeddedServer({ folder, binary, ui: false });
    expect(orphan.exitCode ?? orphan.signalCode).not.toBeNull();
    expect(isAlive(server.pid)).toBe(true);
  });

  it("SRV-10 leaves alone a process that is not surely the server of the record", async () => {
    const bystander = await started("sleep", ["60"]);
    leaveRecord(bystander.pid);
    await using server = await startEmbeddedServer({ folder, binary, ui: false });
    expect([isAlive(bystander.pid), isAlive(server.pid)]).toEqual([true, true]);
  });

  it.runIf(process.platform === "linux")("SRV-10 leaves alone a later process of the same pid", async () => {
    const later = await started("sh", ["-c", "while :; do sleep 0.2; done", join(folder, "temporal.db")]);
    leaveRecord(later.pid, "1");
    await using server = await startEmbeddedServer({ folder, binary, ui: false });
    expect([isAlive(later.pid), isAlive(server.pid)]).toEqual([true, true]);
  });

  it("SRV-10 starts over a record that is damaged", async () => {
    writeFileSync(join(folder, "server.json"), "{");
    await using server = await startEmbeddedServer({ folder, binary, ui: false });
    expect(isAlive(server.pid)).toBe(true);
  });
});
