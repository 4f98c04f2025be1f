import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, Connection } from "@temporalio/client";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { commandLineOf, isAlive } from "../../src/connection/process-identity.js";
import { openBoundedLog } from "../../src/server/bounded-log.js";
import {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from "../../src/server/embedded-server.js";
import { findTemporalBinary } from "../../src/server/find-temporal-binary.js";
import { findFreePorts } from "../../src/server/free-ports.js";
import { spawnServer } from "../../src/server/server-process.js";

let folder: string;
let binary: string;
const servers: EmbeddedServer[] = [];

beforeAll(async () => {
  ({ path: binary } = await findTemporalBinary());
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-server-"));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<EmbeddedServerOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ folder, binary, ui: false, ...options });
  servers.push(server);
  return server;
}

async function withClient<T>(server: EmbeddedServer, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await work(new Client({ connection, namespace: server.namespace }));
  } finally {
    await connection.close();
  }
}

/** How a database is written that no server has open: told by its file, or changed. */
function writtenAhead(path: string, mode?: "delete"): unknown {
  const database = new DatabaseSync(path);
  const row = database.prepare(`PRAGMA journal_mode${mode === undefined ? "" : `=${mode}`}`).get();
  database.close();
  return row?.journal_mode;
}

function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

describe("the embedded server", () => {
  it("SRV-6 serves the namespace holdfast on free ports of 127.0.0.1, keeping closed workflows for 30 days, with the web UI", async () => {
    const server = await start({ ui: true });
    expect(server).toMatchObject({ namespace: "holdfast", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
    const page = await fetch(server.uiUrl ?? "");
    expect(page.status).toBe(200);
    await page.body?.cancel();
    const config = await withClient(server, async ({ workflowService }) => {
      return (await workflowService.describeNamespace({ namespace: "holdfast" })).config;
    });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it("SRV-25 is told to look at its queues at once and to let timers come due in time; what the caller sets holds", async () => {
    const server = await start({ dynamicConfig: { "history.timerProcessorMaxTimeShift": "2s" } });
    const command = commandLineOf(server.pid);
    expect(command).toContain("history.transferProcessorMaxPollRPS=500");
    expect(command).toContain('history.timerProcessorMaxTimeShift="2s"');
    expect(command).not.toContain('"50ms"');
  });

  it("SRV-7 keeps its workflows across a restart on the same folder", async () => {
    const first = await start();
    await withClient(first, (client) =>
      client.workflow.start("conversation", { taskQueue: "nobody", workflowId: "kept", args: [] }),
    );
    await first.stop();
    const second = await start();
    const { type, status } = await withClient(second, (client) =>
      client.workflow.getHandle("kept").describe(),
    );
    expect([type, status.name]).toEqual(["conversation", "RUNNING"]);
  });

  it("SRV-350 writes ahead and syncs each commit, to a file of before as well, and has after a kill what it had accepted", async () => {
    const database = join(folder, "temporal.db");
    await (await start()).stop();
    writtenAhead(database, "delete");
    const server = await start();
    expect(commandLineOf(server.pid)).toContain("synchronous=full");
    await withClient(server, (client) =>
      client.workflow.start("conversation", { taskQueue: "nobody", workflowId: "kept", args: [] }),
    );
    process.kill(server.pid, "SIGKILL");
    await server.exited;
    expect(writtenAhead(database)).toBe("wal");
    const next = await start();
    const { status } = await withClient(next, (client) => client.workflow.getHandle("kept").describe());
    expect(status.name).toBe("RUNNING");
  });

  it("SRV-8 is gone when stop resolves, once or twice, and leaves the folder free", async () => {
    const server = await start();
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    await Promise.all([server.stop(), server.exited]);
    expect(() => readFileSync(join(folder, "server.json"))).toThrow("ENOENT");
  });

  it("SRV-8 kills a server that does not stop in time", async () => {
    const log = openBoundedLog(join(folder, "temporal.log"));
    const deaf = await spawnServer(
      "sh",
      ["-c", 'trap "" TERM; echo deaf; while :; do sleep 0.05; done'],
      log,
    );
    await vi.waitFor(() => expect(readFileSync(log.path, "utf8")).toBe("deaf\n"));
    await deaf.stop(100);
    expect([isAlive(deaf.pid), deaf.hasExited()]).toEqual([false, true]);
    log.close();
  });

  it("SRV-11 refuses a folder on which a live process runs a server, naming both", async () => {
    const server = await start();
    await expect(start()).rejects.toMatchObject({
      code: "UsageError",
      message: expect.stringMatching(new RegExp(`pid ${server.pid}.*started by process ${process.pid}`)),
    });
    expect(isAlive(server.pid)).toBe(true);
  });

  it("SRV-12 takes other ports when one was lost before the server bound it", async () => {
    const flag = join(folder, "lost");
    const unlucky = script("unlucky", `[ -e ${flag} ] || { touch ${flag}; exit 1; }; exec ${binary} "$@"`);
    const server = await start({ binary: unlucky });
    expect(isAlive(server.pid)).toBe(true);
  });

  it("SRV-12 says in one line why it does not start, with its last words and its log", async () => {
    const broken = script("broken", "echo first; echo 'no space left' >&2; exit 1");
    const failing = start({ binary: broken });
    await expect(failing).rejects.toMatchObject({ code: "ServerUnreachableError" });
    await expect(failing).rejects.toThrow(
      /^[^\n]*no space left[^\n]*temporal\.log[^\n]*TEMPORAL_ADDRESS[^\n]*$/,
    );
    await expect(start({ binary: join(folder, "none") })).rejects.toMatchObject({
      code: "ServerUnreachableError",
      message: expect.stringContaining("cannot be run"),
    });
    expect((await start()).version).not.toBe("");
  });

  it("SRV-21 refuses a port that is in use, naming it and its holder, and leaves the one that has it alone", async () => {
    const other = await start();
    const port = Number(other.address.split(":")[1]);
    const elsewhere = join(folder, "elsewhere");
    await expect(start({ folder: elsewhere, ports: { grpc: port } })).rejects.toMatchObject({
      code: "UsageError",
      message: expect.stringMatching(
        new RegExp(
          `^Port ${port} of 127\\.0\\.0\\.1 is in use by process ${other.pid} \\([^\n]*temporal[^\n]*$`,
        ),
      ),
    });
    expect(isAlive(other.pid)).toBe(true);
    expect(() => readFileSync(join(elsewhere, "server.json"))).toThrow("ENOENT");
  });

  it("SRV-22 does not take a stranger that answers on its port for the server that it started", async () => {
    const flag = join(folder, "begun");
    const late = script("late", `echo $$ > ${flag}; exec sleep 60`);
    const [port = 0] = await findFreePorts(1);
    const starting = start({ binary: late, ports: { grpc: port } });
    starting.catch(() => undefined);
    await vi.waitFor(() => expect(readFileSync(flag, "utf8")).toMatch(/\n/));
    const stranger = createServer().listen(port, "127.0.0.1");
    await expect(starting).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use by process ${process.pid} (`);
    stranger.close();
    expect(isAlive(Number(readFileSync(flag, "utf8")))).toBe(false);
  });
});
