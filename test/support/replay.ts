import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import type { Conversations } from "../../src/client/conversations.js";
import { builtFile } from "../../src/connection/built-file.js";
import { createDataConverter } from "../../src/connection/data-converter.js";
import { openPayloadStore } from "../../src/connection/open-payload-store.js";

/** Replays a conversation's history under the built workflow. @throws DeterminismViolationError where it does not. */
export async function replay(conversations: Conversations, id: string): Promise<void> {
  quieten();
  const history = await conversations.temporal.workflow.getHandle(id).fetchHistory();
  const dataConverter = createDataConverter(openPayloadStore(conversations.settings));
  const workflowBundle = { codePath: builtFile("workflow-bundle.js") };
  await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, id);
}

/** A history that does not replay is reported by the test, not by the worker as well. */
export function quieten(): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({
    logger: new DefaultLogger("ERROR", () => undefined),
    telemetryOptions: { logging: { filter: "OFF" } },
  });
}
