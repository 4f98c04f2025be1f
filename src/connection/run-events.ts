/** The events of one run, as the server has them: to be had where no worker answers for the conversation. */
import type { Client } from "@temporalio/client";
import type proto from "@temporalio/proto";

export type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;
/** Without a run, the conversation's last one. */
export interface RunOf {
  readonly conversation_id: string;
  readonly run_id?: string;
}

const DEADLINE_MS = 10_000;
/**
 * Pages are counted in what the server has written at once, a workflow task with all its markers at most. A connection that is not
 * our own may take no page above 4 MiB, which is what most are below: a third of a turn's events has a payload, of up to 128 KiB.
 */
const PAGE_BATCHES = 64;

/** The first event of a run. @throws what the server answers with. */
export async function firstEvent(client: Client, run: RunOf): Promise<HistoryEvent | undefined> {
  const { history } = await withDeadline(client, () =>
    client.workflowService.getWorkflowExecutionHistory({ ...request(client, run), maximumPageSize: 1 }),
  );
  return history?.events?.[0];
}

/** All events of a run, in order. @throws what the server answers with. */
export async function eventsOfRun(client: Client, run: RunOf): Promise<readonly HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await withDeadline(client, () =>
      client.workflowService.getWorkflowExecutionHistory({
        ...request(client, run),
        maximumPageSize: PAGE_BATCHES,
        nextPageToken: nextPageToken ?? null,
      }),
    );
    events.push(...(page.history?.events ?? []));
    nextPageToken = page.nextPageToken;
  } while (nextPageToken !== undefined && nextPageToken.length > 0);
  return events;
}

/** The newest events of a run, the last first. @throws what the server answers with. */
export async function latestEvents(
  client: Client,
  run: RunOf,
  { most, deadlineMs = DEADLINE_MS }: { readonly most: number; readonly deadlineMs?: number },
): Promise<readonly HistoryEvent[]> {
  const { history } = await withDeadline(
    client,
    () =>
      client.workflowService.getWorkflowExecutionHistoryReverse({
        ...request(client, run),
        maximumPageSize: most,
      }),
    deadlineMs,
  );
  return history?.events ?? [];
}

function request(client: Client, { conversation_id: workflowId, run_id: runId }: RunOf) {
  const execution = { workflowId, ...(runId === undefined ? {} : { runId }) };
  return { namespace: client.options.namespace, execution };
}

function withDeadline<T>(client: Client, call: () => Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  return client.withDeadline(Date.now() + deadlineMs, call);
}
