/** Whether a turn has been told to stop, as its conversation knows it. */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { valuesOf } from "../connection/payload-values.js";
import { type HistoryEvent, latestEvents } from "../connection/run-events.js";
import { isJsonObject } from "../core/json.js";
import * as m from "../workflows/messages.js";
import { hedge } from "./hedge.js";
import { HELD_BACK_MS } from "./read-transcript.js";

const DEADLINE_MS = 5_000;
/** A query that the server has handed back may be asked again. */
const AGAIN_MS = 200;
/** What has come since the activity was asked for is seldom more. */
const LATEST_EVENTS = 100;

export interface ActivityOfTurn {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly turn_id: string;
  /** Temporal's, of the activity that asks. */
  readonly activity_id: string;
}

/**
 * False also where the conversation does not answer in time: then the server tells of a stop. A conversation that is late, or whose
 * query has failed, is waited for only where something has come since the activity was asked for that could be a stop.
 */
export async function isStopping(client: Client, activity: ActivityOfTurn): Promise<boolean> {
  const deadline = Date.now() + DEADLINE_MS;
  const unlessStopped = async (): Promise<false | undefined> =>
    (await mayHaveBeenStopped(client, activity)) ? undefined : false;
  do {
    try {
      return await hedge(asked(client, activity, deadline), HELD_BACK_MS, unlessStopped);
    } catch {
      const known = await unlessStopped().catch(() => undefined);
      if (known !== undefined) return known;
    }
    await delay(AGAIN_MS);
  } while (Date.now() < deadline);
  return false;
}

async function asked(
  client: Client,
  { conversation_id, run_id, turn_id }: ActivityOfTurn,
  deadline: number,
): Promise<boolean> {
  const handle = client.workflow.getHandle(conversation_id, run_id);
  const view = await client.withDeadline(deadline, () => handle.query(m.turn, { turn_id }));
  return view.stopping === true;
}

async function mayHaveBeenStopped(client: Client, activity: ActivityOfTurn): Promise<boolean> {
  const events = await latestEvents(client, activity, { most: LATEST_EVENTS });
  const scheduled = events.findIndex(
    (event) => event.activityTaskScheduledEventAttributes?.activityId === activity.activity_id,
  );
  if (scheduled < 0) return true;
  const since = await Promise.all(events.slice(0, scheduled).map((event) => mayBeStop(client, event)));
  return since.includes(true);
}

/** A stop, or what a stop that has been heard asks first. */
async function mayBeStop(client: Client, event: HistoryEvent): Promise<boolean> {
  if (event.workflowExecutionCancelRequestedEventAttributes != null) return true;
  if (event.activityTaskScheduledEventAttributes?.activityType?.name === "readSpent") return true;
  const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
  if (signalName === m.cancelTurn.name) return true;
  if (signalName !== m.submitTurnSignal.name) return false;
  const [submission] = await valuesOf(client, input?.payloads);
  return isJsonObject(submission) && submission.on_busy === "interrupt";
}
