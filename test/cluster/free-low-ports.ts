/** Free ports below 32768: PostgreSQL's column for the cluster's membership takes no higher ones. */
import { once } from "node:events";
import { createServer } from "node:net";

const LOWEST = 20_000;
const HIGHEST = 32_000;

export async function freeLowPorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  // From a place of this process's own, so that two that run at once do not meet.
  let port = LOWEST + ((process.pid * 37) % (HIGHEST - LOWEST));
  for (let tries = 0; ports.length < count && tries < HIGHEST - LOWEST; tries++) {
    port = port >= HIGHEST ? LOWEST : port + 1;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    if (server.listening) {
      server.close();
      await once(server, "close");
    }
  }
}
