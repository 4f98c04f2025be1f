/** What stands before the nodes of a cluster: one address, its connections spread over the nodes that take them. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface LoadBalancer {
  readonly address: string;
  stop(): Promise<void>;
}

/** TCP only: a connection whose node dies is cut, and its client connects anew. */
export async function startLoadBalancer(nodes: readonly string[]): Promise<LoadBalancer> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer((client) => {
    open.add(client);
    client.once("close", () => open.delete(client));
    client.on("error", () => client.destroy());
    const first = next++;
    tryNodes(
      client,
      nodes.map((_, index) => nodes[(first + index) % nodes.length] ?? ""),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, stop: () => stop(server, open) };
}

function tryNodes(client: Socket, [node, ...others]: readonly string[]): void {
  if (node === undefined || client.destroyed) {
    client.destroy();
    return;
  }
  const [host = "", port] = node.split(":");
  const upstream = connect({ host, port: Number(port) });
  const refused = (): void => tryNodes(client, others);
  upstream.once("error", refused);
  upstream.once("connect", () => {
    upstream.off("error", refused);
    upstream.on("error", () => client.destroy());
    upstream.once("close", () => client.destroy());
    client.once("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
}

async function stop(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  server.close();
  for (const socket of open) socket.destroy();
  await once(server, "close");
}
