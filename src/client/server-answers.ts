/** Whether the server is there, asked in a way that needs no worker. */
import type { Client } from "@temporalio/client";

const PROBE_MS = 2_000;

/** False where it has not answered within two seconds, or the connection is closed. Never rejects. */
export function serverAnswers({ connection }: Pick<Client, "connection">): Promise<boolean> {
  return connection
    .withDeadline(Date.now() + PROBE_MS, () => connection.workflowService.getSystemInfo({}))
    .then(
      () => true,
      () => false,
    );
}
