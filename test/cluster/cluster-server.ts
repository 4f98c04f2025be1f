/** The cluster as the server of a world: an outage is that of one node, each in its turn; the other goes on. */
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { WorldServer, WorldStack } from "../chaos/world.js";
import type { Cluster } from "./cluster.js";

export class ClusterServer implements WorldServer {
  readonly #cluster: Cluster;
  readonly #folder: string;
  readonly #stack: WorldStack;
  #next = 0;

  constructor(cluster: Cluster, folder: string, stack: WorldStack) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.#stack = stack;
  }

  async outage(downMs: number): Promise<void> {
    const { nodes, namespace } = this.#cluster;
    const node = nodes[this.#next++ % nodes.length];
    if (node === undefined) return;
    await node.kill();
    await delay(downMs);
    await node.start();
    await node.serving(namespace);
  }

  async stop(): Promise<void> {
    await this.#stack.stop();
    await this.#cluster[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
