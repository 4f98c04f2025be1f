/** A turn whose reply the server has acknowledged, and whose workflow has not been told: its worker was killed in between. */
import type { Client } from "@temporalio/client";
import proto from "@temporalio/proto";
import { valuesOf } from "../connection/payload-values.js";
import { latestEvents } from "../connection/run-events.js";
import type { CallModelInput, CallModelResult } from "../core/conversation/activity-contract.js";
import type { TurnResult } from "../core/conversation/messages.js";
import { turnEndAfter } from "../core/conversation/turn-end-after.js";
import { turnResult } from "../core/conversation/turn-result.js";
import { isJsonObject } from "../core/json.js";
import { isProviderName } from "../core/providers.js";

const { EventType } = proto.temporal.api.enums.v1;

/** The end of a call is four events; behind them stand the tries to tell a worker of it. */
const LATEST_EVENTS = 20;
const DEADLINE_MS = 2_000;

/** What the server writes while no worker takes a workflow task. */
const UNTOLD: readonly unknown[] = [
  EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
];

/**
 * The turn's result, as its end frame would have told it, where the last thing in the history is that its model call has
 * completed: no worker is needed to read it, and a server gives a workflow task that died with its worker out again after
 * five seconds only. Undefined in every other case, and where the history cannot be read.
 */
export async function acknowledgedEnd(
  client: Client,
  conversationId: string,
  turnId: string,
): Promise<TurnResult | undefined> {
  try {
    const ended = await lastCall(client, conversationId, turnId);
    if (ended === undefined) return undefined;
    const { input, result } = ended;
    // A checkpoint is written before anybody is told.
    if (input.quiet === true || turnEndAfter(result) !== "committed") return undefined;
    const { memo } = await client.workflow.getHandle(conversationId).describe();
    return isProviderName(memo?.provider) ? turnResult(input, memo.provider, result) : undefined;
  } catch {
    return undefined;
  }
}

interface EndedCall {
  readonly input: CallModelInput;
  readonly result: CallModelResult;
}

/** Undefined where the last thing that happened is not the end of a call of this turn. */
async function lastCall(
  client: Client,
  conversationId: string,
  turnId: string,
): Promise<EndedCall | undefined> {
  const run = { conversation_id: conversationId };
  const events = await latestEvents(client, run, { most: LATEST_EVENTS, deadlineMs: DEADLINE_MS });
  const last = events.find(({ eventType }) => !UNTOLD.includes(eventType));
  const { scheduledEventId, result } = last?.activityTaskCompletedEventAttributes ?? {};
  if (scheduledEventId == null) return undefined;
  // A stop that nobody answered has ended the turn without the reply, though the server has taken it.
  const isStopped = events.some(
    ({ activityTaskCancelRequestedEventAttributes: asked }) =>
      asked?.scheduledEventId?.toString() === scheduledEventId.toString(),
  );
  if (isStopped) return undefined;
  const scheduled = events.find(({ eventId }) => eventId?.toString() === scheduledEventId.toString());
  const { activityType, input } = scheduled?.activityTaskScheduledEventAttributes ?? {};
  if (activityType?.name !== "callModel") return undefined;
  const [given] = await valuesOf(client, input?.payloads);
  if (!isJsonObject(given) || given.turn_id !== turnId) return undefined;
  // Another turn's answer can be large: only this one's is fetched.
  const [told] = await valuesOf(client, result?.payloads);
  if (!isJsonObject(told) || !Array.isArray(told.messages)) return undefined;
  return { input: given as unknown as CallModelInput, result: told as unknown as CallModelResult };
}
