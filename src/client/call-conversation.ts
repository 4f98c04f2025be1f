/** A call that needs a worker: answered, or known within three seconds to have nobody who could answer. */
import type { Client } from "@temporalio/client";
import proto from "@temporalio/proto";
import { OVER, pause } from "../connection/pause.js";
import { NoWorkerError } from "../core/errors/errors.js";
import { callAgain } from "./call-again.js";
import type { ClientContext } from "./client-context.js";
import { stuckBecause } from "./stuck-conversation.js";
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
  for (;;) {
    await pause(PATIENCE_MS, signal);
    if (signal.aborted) return new Promise<never>(() => undefined);
    if (!(await hasWorker(client, namespace, taskQueue))) throw noWorkerError(taskQueue);
    const reason = await stuckBecause(client, namespace, conversationId);
    if (reason !== undefined)
      throw new NoWorkerError(`No worker can continue conversation ${conversationId}: ${reason}`);
  }
}

export function noWorkerError(taskQueue: string): NoWorkerError {
  return new NoWorkerError(
    `No worker takes conversations from the task queue ${taskQueue}: start one with \`holdfast worker\` (or \`holdfast dev\`, which brings its own).`,
  );
}

/** Whether anything polls the task queue for workflow tasks. Where the server does not say, it is taken to. */
export async function hasWorker(client: Client, namespace: string, taskQueue: string): Promise<boolean> {
  try {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    });
    return (pollers ?? []).some(
      ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < POLLER_ALIVE_MS,
    );
  } catch {
    return true;
  }
}
