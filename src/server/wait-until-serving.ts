/** Waiting for a server that was just started, and giving its namespace the retention that conversations need. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "@temporalio/client";

const POLL_MS = 25;
const CALL_DEADLINE_MS = 2_000;

export interface ServingOptions {
  readonly address: string;
  readonly namespace: string;
  readonly retentionDays: number;
  /** Ends the wait: the process has exited, or the time is up. */
  readonly signal: AbortSignal;
}

/** Resolves to the server's version when it answers for the namespace. Rejects with the signal's reason. */
export async function waitUntilServing(options: ServingOptions): Promise<string> {
  const connection = await untilItSucceeds(
    () => Connection.connect({ address: options.address, connectTimeout: CALL_DEADLINE_MS }),
    options.signal,
  );
  try {
    await untilItSucceeds(() => keepFor(connection, options), options.signal);
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return serverVersion;
  } finally {
    await connection.close();
  }
}

/** The dev server forgets closed workflows after a day; a namespace that exists is given its retention anew. */
async function keepFor(connection: Connection, { namespace, retentionDays }: ServingOptions): Promise<void> {
  const seconds = retentionDays * 86_400;
  await connection.withDeadline(Date.now() + CALL_DEADLINE_MS, async () => {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) === seconds) return;
    await connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: { seconds: seconds as never } },
    });
  });
}

/** Resolves when something listens at the address, which need not be the one that was started. */
export async function untilListening(address: string, signal: AbortSignal): Promise<void> {
  await untilItSucceeds(() => reachPort(address), signal);
}

async function reachPort(address: string): Promise<void> {
  const [host, port] = address.split(":");
  const socket = connect({ host: host ?? "127.0.0.1", port: Number(port) });
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}

async function untilItSucceeds<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch {
      await delay(POLL_MS);
    }
  }
}
