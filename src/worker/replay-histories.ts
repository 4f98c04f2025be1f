/** Whether the workflow of this build can continue what an earlier one, or another machine, has begun. */
import { type Client, isGrpcServiceError } from "@temporalio/client";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { builtFile } from "../connection/built-file.js";
import { createDataConverter } from "../connection/data-converter.js";
import { openPayloadStore } from "../connection/open-payload-store.js";
import { eventsOfRun, type HistoryEvent } from "../connection/run-events.js";

const NOT_FOUND = 5;

export interface RecordedHistory {
  readonly events: readonly HistoryEvent[];
}

/**
 * The histories of a conversation's runs, oldest first, as far back as the server has them.
 *
 * @throws what the server answers with.
 */
export async function runHistories(
  client: Client,
  conversationId: string,
): Promise<readonly RecordedHistory[]> {
  const histories: RecordedHistory[] = [
    { events: await eventsOfRun(client, { conversation_id: conversationId }) },
  ];
  for (let runId = runBefore(histories[0]); runId !== ""; runId = runBefore(histories[0])) {
    const events = await eventsOfRun(client, { conversation_id: conversationId, run_id: runId }).catch(
      unlessGone,
    );
    if (events === undefined) break;
    histories.unshift({ events });
  }
  return histories;
}

/** The server forgets runs that ended long ago. */
function unlessGone(error: unknown): undefined {
  if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
}

function runBefore(history: RecordedHistory | undefined): string {
  return history?.events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? "";
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
