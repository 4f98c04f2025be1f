/** Ports that nothing listens on at the moment. Another process may take one before it is used: callers try again. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** As many different free ports of 127.0.0.1 as asked for: all are held open until the last one is known. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
