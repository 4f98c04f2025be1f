/** The end of what is kept of a closed conversation: its runs on the server, its last envelope and the pointer to it. */
import { setTimeout as delay } from "node:timers/promises";
import { type Client, isGrpcServiceError } from "@temporalio/client";
import { firstEvent } from "../connection/run-events.js";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { UsageError } from "../core/errors/errors.js";
import type { ClientContext } from "./client-context.js";
import { isRunning } from "./is-running.js";
import { notFound, unwrapFailure } from "./unwrap-failure.js";

export interface DeletedConversation {
  readonly conversation_id: string;
  /** How many runs of its workflow the server still had. */
  readonly runs: number;
  /** Whether the server has done with them; otherwise it does so by itself, and the id is taken until then. */
  readonly server_done: boolean;
  /** Key of the last envelope's blob, which is gone; null where none was kept. */
  readonly envelope: string | null;
}

const NOT_FOUND = 5;
/**
 * The server deletes a run that was closed within the last half minute only when it has saved how far its queues are, and
 * tries again in steps that grow.
 */
const PATIENCE_MS = 120_000;
const LOOK_AGAIN_MS = 250;

/**
 * Deletes a closed conversation. Blobs that only it named are garbage then; external payloads stay where they are.
 *
 * @throws UsageError for one that is open; ConversationNotFoundError; ServerUnreachableError, and then nothing is deleted.
 */
export async function deleteConversation(context: ClientContext, id: string): Promise<DeletedConversation> {
  const { client, closed } = context;
  const running = await isRunning(client, id);
  if (running === true)
    throw new UsageError(`Conversation ${id} is open: close it first with \`holdfast close ${id}\`.`);
  const runs = running === undefined ? [] : await closedRuns(client, id);
  for (const runId of runs) await deleteRun(client, id, runId);
  const { found, envelope } = await closed.delete(id);
  if (!found && running === undefined) throw notFound(id);
  return { conversation_id: id, runs: runs.length, server_done: await areGone(client, id, runs), envelope };
}

/** Of all that the server has: a conversation that continued as new has several, and so has an id that was used again. */
async function closedRuns(client: Client, id: string): Promise<readonly string[]> {
  const runs = new Set<string>();
  try {
    const { runId, status } = await client.workflow.getHandle(id).describe();
    if (status.name === "RUNNING") return [];
    for (let run = runId; run !== ""; run = await runBefore(client, id, run)) runs.add(run);
    for (const run of await listedRuns(client, id)) runs.add(run);
  } catch (error) {
    throw unwrapFailure(error, id);
  }
  return [...runs];
}

/** The one that continued as this one; an empty text where there is none, or the server has forgotten it. */
async function runBefore(client: Client, conversationId: string, runId: string): Promise<string> {
  try {
    const started = await firstEvent(client, { conversation_id: conversationId, run_id: runId });
    return started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? "";
  } catch (error) {
    if (isNotFound(error)) return "";
    throw error;
  }
}

/** What the server's list cannot be asked for: its query has no way to write these, whatever is put before them. */
const NOT_LISTED = /["\\\p{Cc}]/u;

/** Also runs of earlier conversations of the id. */
async function listedRuns(client: Client, id: string): Promise<readonly string[]> {
  if (NOT_LISTED.test(id)) return [];
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND WorkflowId = '${id.replaceAll("'", "''")}'`;
  const runs: string[] = [];
  for await (const { workflowId, runId, status } of client.workflow.list({ query }))
    if (workflowId === id && status.name !== "RUNNING") runs.push(runId);
  return runs;
}

/** By its run: without it the server would end and delete one that has been started since. */
async function deleteRun(client: Client, workflowId: string, runId: string): Promise<void> {
  const { namespace } = client.options;
  try {
    await client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId, runId },
    });
  } catch (error) {
    if (!isNotFound(error)) throw unwrapFailure(error, workflowId);
  }
}

async function areGone(client: Client, id: string, runs: readonly string[]): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  for (const runId of runs)
    while (await isThere(client, id, runId)) {
      if (Date.now() > until) return false;
      await delay(LOOK_AGAIN_MS);
    }
  return true;
}

/** A server that does not answer is asked again: what was kept is deleted by now. */
async function isThere(client: Client, workflowId: string, runId: string): Promise<boolean> {
  const { namespace } = client.options;
  const execution = { workflowId, runId };
  return client.workflowService.describeWorkflowExecution({ namespace, execution }).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  );
}

const isNotFound = (error: unknown): boolean => isGrpcServiceError(error) && error.code === NOT_FOUND;
