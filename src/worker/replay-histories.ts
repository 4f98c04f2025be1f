/** Whether the workflow of this build can continue what an earlier one, or another machine, has begun. */
import type { Client, WorkflowHandle } from "@temporalio/client";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { builtFile } from "../connection/built-file.js";
import { createDataConverter } from "../connection/data-converter.js";
import { openPayloadStore } from "../connection/open-payload-store.js";

type History = Awaited<ReturnType<WorkflowHandle["fetchHistory"]>>;

/** The histories of a conversation's runs, oldest first, as far back as the server has them. */
export async function runHistories(client: Client, conversationId: string): Promise<readonly History[]> {
  const newest = await client.workflow.getHandle(conversationId).fetchHistory();
  const histories = [newest];
  for (let runId = runBefore(newest); runId !== ""; ) {
    const older = await client.workflow
      .getHandle(conversationId, runId)
      .fetchHistory()
      .catch(() => undefined);
    if (older === undefined) break;
    histories.unshift(older);
    runId = runBefore(older);
  }
  return histories;
}

function runBefore({ events }: History): string {
  return events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? "";
}

/** Why a history does not replay under this build, in the SDK's words; undefined where it does. */
export async function replayIssue(
  history: unknown,
  conversationId: string,
  settings: Parameters<typeof openPayloadStore>[0],
): Promise<string | undefined> {
  // What does not replay is told by the answer, not by the SDK's own log as well.
  if (Runtime._instance === undefined)
    Runtime.install({
      logger: new DefaultLogger("ERROR", () => undefined),
      telemetryOptions: { logging: { filter: "OFF", forward: {} } },
    });
  const dataConverter = createDataConverter(openPayloadStore(settings));
  const workflowBundle = { codePath: builtFile("workflow-bundle.js") };
  try {
    await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, conversationId);
    return undefined;
  } catch (error) {
    if (error instanceof DeterminismViolationError) return error.message;
    throw error;
  }
}
