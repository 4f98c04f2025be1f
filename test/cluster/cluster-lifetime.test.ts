import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isAlive } from "../../src/connection/process-identity.js";
import { repositoryRoot } from "../support/source-file.js";

let folder: string;
let parent: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-lifetime-"));
});
afterEach(() => {
  parent?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A process that runs the code and goes on, and the number that it prints. */
async function startParent(code: string): Promise<number> {
  const hooks = join(repositoryRoot, "test/support/typescript-hooks.mjs");
  const keepAlive = "setInterval(() => {}, 1000);";
  parent = spawn(process.execPath, ["--import", hooks, "--input-type=module"], {
    cwd: repositoryRoot,
    stdio: ["pipe", "pipe", "inherit"],
  });
  parent.stdin?.end(`${code}\n${keepAlive}`);
  const [line] = (await once(parent.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return Number(line.toString());
}

const isGone = (pid: number): Promise<void> =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 15_000, interval: 50 });

describe.skipIf(process.platform === "win32")("what a test on a cluster has started", () => {
  it("CHA-20 ends with the program that is killed: a node of the cluster", async () => {
    const server = join(folder, "server");
    writeFileSync(server, '#!/bin/sh\ntrap "" TERM\necho $$ > pid\nwhile :; do sleep 0.1; done\n', {
      mode: 0o755,
    });
    const options = { server, folder, name: "node-0", ports: [1, 2, 3, 4, 5, 6, 7, 8], database: {} };
    await startParent(`
      const { TemporalNode } = await import("./test/cluster/temporal-node.ts");
      await new TemporalNode(${JSON.stringify(options)}).start();
      console.log(1);
    `);
    const pid = await vi.waitFor(() => Number(readFileSync(join(folder, "node-0", "pid"), "utf8")));
    expect(isAlive(pid)).toBe(true);
    parent?.kill("SIGKILL");
    await isGone(pid);
  });

  it("CHA-20 ends with the program that is killed, also where it stands still", async () => {
    const pid = await startParent(`
      const { spawn } = await import("node:child_process");
      const { guardChild } = await import("./test/support/guard-child.ts");
      const child = spawn("sleep", ["60"], { stdio: "ignore" });
      guardChild(child, "KILL");
      child.kill("SIGSTOP");
      console.log(child.pid);
    `);
    expect(isAlive(pid)).toBe(true);
    parent?.kill("SIGKILL");
    await isGone(pid);
  });

  it("CHA-21 is left alone by a guard that was released", async () => {
    const pid = await startParent(`
      const { spawn } = await import("node:child_process");
      const { once } = await import("node:events");
      const { writeFileSync } = await import("node:fs");
      const { guardProcess } = await import("./src/server/guard-process.ts");
      const [released, guarded] = [1, 2].map(() => spawn("sleep", ["60"], { stdio: "ignore" }));
      await Promise.all([once(released, "spawn"), once(guarded, "spawn")]);
      guardProcess(released.pid)();
      guardProcess(guarded.pid);
      writeFileSync(${JSON.stringify(join(folder, "guarded"))}, String(guarded.pid));
      console.log(released.pid);
    `);
    try {
      parent?.kill("SIGKILL");
      await isGone(Number(readFileSync(join(folder, "guarded"), "utf8")));
      expect(isAlive(pid)).toBe(true);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });
});
