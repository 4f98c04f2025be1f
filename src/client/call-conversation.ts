/** A call that needs a worker: answered, or known within three seconds (ten where one has just gone) to have nobody who could answer. */
import type { Client } from "@temporalio/client";
import proto from "@temporalio/proto";
import { OVER, pause } from "../connection/pause.js";
import { NoWorkerError } from "../core/errors/errors.js";
import { callAgain } from "./call-again.js";
import type { ClientContext } from "./client-context.js";
import { pendingTask, stuckBecause } from "./stuck-conversation.js";
import { msOf, UntakenTask } from "./untaken-task.js";
import { unwrapFailure } from "./unwrap-failure.js";

const PATIENCE_MS = 1_500;
/** A live poller asks again at least once a minute. */
const POLLER_ALIVE_MS = 70_000;

/**
 * The call's answer. When it takes long, the task queue is looked at: with nobody polling it, a query would hang for
 * half a minute and an update for ever.
 *
 * @throws NoWorkerError, or the call's own failure unwrapped.
 */
export async function callConversation<T>(
  context: ClientContext,
  conversationId: string,
  call: () => Promise<T>,
): Promise<T> {
  const watched = new AbortController();
  const started = async (): Promise<T> => {
    await context.starting?.ensure();
    return call();
  };
  const answer = callAgain(context.client, conversationId, started, watched.signal).catch(
    (error: unknown) => {
      throw unwrapFailure(error, conversationId);
    },
  );
  try {
    return await Promise.race([answer, nobodyAnswers(context, conversationId, watched.signal)]);
  } finally {
    watched.abort(OVER);
    answer.catch(() => undefined);
  }
}

/** Never resolves; rejects once nobody can answer. Looks again and again, since a worker may go while it is waited for. */
async function nobodyAnswers(
  { client, settings: { namespace, taskQueue } }: ClientContext,
  conversationId: string,
  signal: AbortSignal,
): Promise<never> {
  const untaken = new UntakenTask();
  for (;;) {
    await pause(PATIENCE_MS, signal);
    if (signal.aborted) return new Promise<never>(() => undefined);
    const task = await pendingTask(client, namespace, conversationId);
    const pollers = await livePollers(client, namespace, taskQueue);
    if (pollers !== undefined && (pollers.length === 0 || untaken.isNobodys(task, pollers)))
      throw noWorkerError(taskQueue);
    const reason = await stuckBecause(client, namespace, conversationId, task);
    if (reason !== undefined)
      throw new NoWorkerError(`No worker can continue conversation ${conversationId}: ${reason}`);
  }
}

export function noWorkerError(taskQueue: string): NoWorkerError {
  return new NoWorkerError(
    `No worker takes conversations from the task queue ${taskQueue}: start one with \`holdfast worker\` (or \`holdfast dev\`, which brings its own).`,
  );
}

/** What polls the task queue for workflow tasks; undefined where the server does not say. */
async function livePollers(
  client: Client,
  namespace: string,
  taskQueue: string,
): Promise<readonly proto.temporal.api.taskqueue.v1.IPollerInfo[] | undefined> {
  try {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    });
    return (pollers ?? []).filter(
      ({ lastAccessTime }) => Date.now() - msOf(lastAccessTime) < POLLER_ALIVE_MS,
    );
  } catch {
    return undefined;
  }
}
