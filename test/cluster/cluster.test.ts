import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { clusterSchedule } from "./cluster-schedule.js";
import { findClusterTools, MissingToolError } from "./cluster-tools.js";
import { startLoadBalancer } from "./load-balancer.js";

describe("the test on a cluster", () => {
  it("CHA-8 names a tool that is missing, with the way to get it", async () => {
    const empty = await mkdtemp(join(tmpdir(), "holdfast-tools-"));
    const silent = (): void => undefined;
    try {
      const nothing = findClusterTools({ PATH: empty, HOLDFAST_CACHE: empty }, silent, empty);
      await expect(nothing).rejects.toThrow(/^PostgreSQL is not here: install it/);
      const programs = await fakePrograms(empty, ["initdb", "postgres"]);
      const env = { PATH: programs, HOLDFAST_CACHE: empty };
      const noServer = findClusterTools(env, silent, empty);
      await expect(noServer).rejects.toThrow(
        /^Temporal's server 1\.32\.0 is not here, and no Go to build it/,
      );
      const wrong = findClusterTools({ ...env, HOLDFAST_TEMPORAL_SERVER: empty }, silent, empty);
      await expect(wrong).rejects.toBeInstanceOf(MissingToolError);
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  });

  it("CHA-9 leads a connection to a node that takes it", async () => {
    const [first, second] = await Promise.all([greeter("first"), greeter("second")]);
    const balancer = await startLoadBalancer([first.address, second.address]);
    try {
      const both = [await greeting(balancer.address), await greeting(balancer.address)];
      expect(both.sort()).toEqual(["first", "second"]);
      await close(first.server);
      expect([await greeting(balancer.address), await greeting(balancer.address)]).toEqual([
        "second",
        "second",
      ]);
      await close(second.server);
      expect(await greeting(balancer.address)).toBe("");
    } finally {
      await balancer.stop();
    }
  });

  it("CHA-10 kills each node and each worker at least once", () => {
    const { layout, disturbances } = clusterSchedule(3);
    expect(layout).toBe("apart");
    expect(disturbances.filter(({ type }) => type === "outage").length).toBeGreaterThanOrEqual(2);
    const killed = disturbances.flatMap((one) => (one.type === "kill" ? [one.worker] : []));
    expect(new Set(killed)).toEqual(new Set([0, 1]));
    expect(clusterSchedule(3)).toEqual(clusterSchedule(3));
    expect(clusterSchedule(4)).not.toEqual(clusterSchedule(3));
  });
});

async function fakePrograms(folder: string, names: readonly string[]): Promise<string> {
  for (const name of names) await writeFile(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

async function greeter(words: string): Promise<{ readonly address: string; readonly server: Server }> {
  const server = createServer((socket) => socket.end(words)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function greeting(address: string): Promise<string> {
  const [host = "", port] = address.split(":");
  return text(connect({ host, port: Number(port) }));
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
