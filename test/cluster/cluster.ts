/** A Temporal cluster on loopback: PostgreSQL, two nodes, and one address before them. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Connection } from "@temporalio/client";
import { Cleanup } from "../../src/connection/cleanup.js";
import type { ClusterTools } from "./cluster-tools.js";
import { freeLowPorts } from "./free-low-ports.js";
import { type LoadBalancer, startLoadBalancer } from "./load-balancer.js";
import { type Postgresql, startPostgresql } from "./postgresql.js";
import { TemporalNode } from "./temporal-node.js";

const NODES = 2;
const PORTS_A_NODE = 8;
const RETENTION_SECONDS = 3 * 86_400;
const NAMESPACE = "holdfast";

export class Cluster implements AsyncDisposable {
  readonly nodes: readonly TemporalNode[];
  readonly address: string;
  readonly namespace: string = NAMESPACE;
  readonly #parts: AsyncDisposable;

  private constructor(nodes: readonly TemporalNode[], { address }: LoadBalancer, parts: AsyncDisposable) {
    this.nodes = nodes;
    this.address = address;
    this.#parts = parts;
  }

  /** In a folder that exists; its processes' output goes there as well. */
  static async start(tools: ClusterTools, folder: string): Promise<Cluster> {
    await using parts = new Cleanup();
    const [port = 0, ...ports] = await freeLowPorts(1 + NODES * PORTS_A_NODE);
    const database = await startPostgresql(tools.postgresqlFolder, folder, port);
    parts.defer(() => database.stop());
    await createDatabases(tools.sqlTool, database);
    const nodes = Array.from({ length: NODES }, (_, index) => {
      const own = ports.slice(index * PORTS_A_NODE, (index + 1) * PORTS_A_NODE);
      return new TemporalNode({ server: tools.server, folder, name: `node-${index}`, ports: own, database });
    });
    // One alone first: two that start at once both want to write the cluster's own record.
    for (const [index, node] of nodes.entries()) {
      parts.defer(() => node.stop());
      await node.start();
      if (index === 0) await registerNamespace(node.address);
      await node.serving(NAMESPACE);
    }
    const balancer = await startLoadBalancer(nodes.map(({ address }) => address));
    parts.defer(() => balancer.stop());
    return new Cluster(nodes, balancer, parts.move());
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#parts[Symbol.asyncDispose]();
  }
}

async function createDatabases(sqlTool: string, { port, user }: Postgresql): Promise<void> {
  for (const [database, schema] of [
    ["temporal", "temporal"],
    ["temporal_visibility", "visibility"],
  ] as const) {
    const at = ["--plugin", "postgres12", "--endpoint", "127.0.0.1", "--port", String(port), "--user", user];
    const run = (...command: readonly string[]): Promise<unknown> =>
      promisify(execFile)(sqlTool, [...at, "--password", "none", "--database", database, ...command]);
    await run("create-database");
    await run("setup-schema", "--version", "0.0");
    await run("update-schema", "--schema-name", join("postgresql", "v12", schema));
  }
}

async function registerNamespace(address: string): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 2_000 });
      try {
        await connection.workflowService.registerNamespace({
          namespace: NAMESPACE,
          workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as never },
        });
      } finally {
        await connection.close();
      }
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}
