/** Whether a turn has been told to stop, as its conversation knows it. */
import type { Client } from "@temporalio/client";
import { valuesOf } from "../connection/payload-values.js";
import { type HistoryEvent, latestEvents } from "../connection/run-events.js";
import type { CallModelInput } from "../core/conversation/activity-contract.js";
import { isJsonObject } from "../core/json.js";
import * as m from "../workflows/messages.js";
import { hedge } from "./hedge.js";
import { HELD_BACK_MS } from "./read-transcript.js";

const QUERY_DEADLINE_MS = 5_000;
/** Behind the last workflow task that a worker completed stands what came since, and the tries to tell one of it. */
const LATEST_EVENTS = 100;

/**
 * False also where the conversation does not answer in time: then the server tells of a stop. A conversation that is late, and to
 * which nothing was said since a worker last spoke for it that could be a stop, is not waited for.
 */
export async function isStopping(client: Client, input: CallModelInput): Promise<boolean> {
  const { conversation_id, run_id, turn_id } = input;
  const handle = client.workflow.getHandle(conversation_id, run_id);
  try {
    const asked = client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
      handle.query(m.turn, { turn_id }),
    );
    return await hedge(
      asked.then(({ stopping }) => stopping === true),
      HELD_BACK_MS,
      async () => ((await mayHaveBeenStopped(client, input)) ? undefined : false),
    );
  } catch {
    return false;
  }
}

async function mayHaveBeenStopped(client: Client, input: CallModelInput): Promise<boolean> {
  const events = await latestEvents(client, input, { most: LATEST_EVENTS });
  const handled = events.findIndex((event) => event.workflowTaskCompletedEventAttributes != null);
  if (handled < 0) return true;
  const news = await Promise.all(events.slice(0, handled).map((event) => mayBeStop(client, event)));
  return news.includes(true);
}

async function mayBeStop(client: Client, event: HistoryEvent): Promise<boolean> {
  if (event.workflowExecutionCancelRequestedEventAttributes != null) return true;
  const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
  if (signalName === m.cancelTurn.name) return true;
  if (signalName !== m.submitTurnSignal.name) return false;
  const [submission] = await valuesOf(client, input?.payloads);
  return isJsonObject(submission) && submission.on_busy === "interrupt";
}
