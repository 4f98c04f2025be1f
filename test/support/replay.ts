import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import type { Conversations } from "../../src/client/conversations.js";
import { builtFile } from "../../src/connection/built-file.js";
import { createDataConverter } from "../../src/connection/data-converter.js";
import { openPayloadStore } from "../../src/connection/open-payload-store.js";
import { type History, historiesOf } from "./short-runs.js";

/** Replays a conversation's history under the built workflow. @throws DeterminismViolationError where it does not. */
export async function replay(conversations: Conversations, id: string): Promise<void> {
  await replayChain(conversations, id);
}

/** The same for each of its runs. @returns their histories, oldest first. */
export async function replayChain(conversations: Conversations, id: string): Promise<readonly History[]> {
  quieten();
  const histories = await historiesOf(conversations, id);
  const dataConverter = createDataConverter(openPayloadStore(conversations.settings));
  const workflowBundle = { codePath: builtFile("workflow-bundle.js") };
  for (const history of histories)
    await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, id);
  return histories;
}

/** A history that does not replay is reported by the test, not by the worker as well. */
export function quieten(): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({
    logger: new DefaultLogger("ERROR", () => undefined),
    telemetryOptions: { logging: { filter: "OFF" } },
  });
}
