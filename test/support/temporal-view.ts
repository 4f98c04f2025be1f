/** What the server itself knows of a conversation: its events, and the worker that holds its running turn. */
import { setTimeout as delay } from "node:timers/promises";
import proto from "@temporalio/proto";
import type { Conversations } from "../../src/client/conversations.js";
import type { WorkerProcess } from "./stack.js";

const EventType: typeof proto.temporal.api.enums.v1.EventType = proto.temporal.api.enums.v1.EventType;
const HistoryEvent: typeof proto.temporal.api.history.v1.HistoryEvent =
  proto.temporal.api.history.v1.HistoryEvent;

export type Event = proto.temporal.api.history.v1.IHistoryEvent;

/** The events as the server keeps them: payloads that lie in the external store are not fetched. */
export async function eventsOf(conversations: Conversations, id: string): Promise<readonly Event[]> {
  const { events } = await conversations.temporal.workflow.getHandle(id).fetchHistory();
  return events ?? [];
}

export function eventBytes(event: Event): number {
  return HistoryEvent.encode(event).finish().byteLength;
}

/** Everything in an event that could be read, as one text. */
export function eventText(event: Event): string {
  return Buffer.from(HistoryEvent.encode(event).finish()).toString("utf8");
}

export function countEvents(events: readonly Event[], type: keyof typeof EventType): number {
  return events.filter(({ eventType }) => eventType === EventType[type]).length;
}

/**
 * What workers have failed workflow tasks with. Not those that the server gives up by itself, to take in a flood of
 * signals or a message that came meanwhile; nor those of a worker that a query has shown a task without its updates,
 * or an activity ahead of the event that it has started (decision 0023), or whose answer to a task never reached the server, which then refuses to hear it a second time, be it in a
 * later answer or within one. In both cases the worker drops its cache, and the next attempt knows nothing of it: a task that
 * fails again is told.
 */
export function tasksFailedByWorker(events: readonly Event[]): readonly string[] {
  const ends = events.filter(
    ({ workflowTaskFailedEventAttributes: failed, workflowTaskCompletedEventAttributes: completed }) =>
      failed != null || completed != null,
  );
  return ends.flatMap(({ workflowTaskFailedEventAttributes: failed }, at) => {
    if (failed == null || ownCauses.includes(failed.cause)) return [];
    const message = failed.failure?.message ?? String(failed.cause);
    const isMended = ends[at + 1]?.workflowTaskCompletedEventAttributes != null;
    return isMended && FAILED_ONCE.some((form) => form.test(message)) ? [] : [message];
  });
}

/** Each failed workflow task among its neighbours, an event a line: what a log alone can be judged by. */
export function failedTaskLines(events: readonly Event[]): readonly string[] {
  const failed = events.flatMap(({ workflowTaskFailedEventAttributes }, at) =>
    workflowTaskFailedEventAttributes == null ? [] : [at],
  );
  const near = events.filter((_event, at) => failed.some((one) => at > one - 12 && at < one + 6));
  return near.map((event) => {
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.protocolInstanceId ?? "";
    const text = event.workflowTaskFailedEventAttributes?.failure?.message ?? "";
    return [event.eventId, EventType[event.eventType ?? 0], update, text]
      .filter((part) => part !== "")
      .join(" ");
  });
}

const FAILED_ONCE = [
  /No command scheduled for event .*WorkflowExecutionUpdateAccepted/,
  /ActivityMachine in state ScheduledEventRecorded says the transition is invalid during event .*ActivityTaskCompleted/,
  /received \*update\.(Acceptance|Response) message while in state (Provisionally)?(Accepted|Completed)/,
];

const Cause: typeof proto.temporal.api.enums.v1.WorkflowTaskFailedCause =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause;
const ownCauses: readonly unknown[] = [
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
];

/** The ids of the updates in the order in which the workflow accepted them; a turn's update has the turn's id. */
export function acceptedUpdates(events: readonly Event[]): readonly string[] {
  return events.flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
    accepted?.protocolInstanceId == null ? [] : [accepted.protocolInstanceId],
  );
}

/** What each of the conversation's accepted updates was answered, by the update's id. */
export function updateAnswers<T>(events: readonly Event[]): ReadonlyMap<string, T> {
  return new Map(
    events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: completed }) => {
      const id = completed?.meta?.updateId;
      const [payload] = completed?.outcome?.success?.payloads ?? [];
      return id == null || payload == null
        ? []
        : [[id, JSON.parse(Buffer.from(payload.data ?? []).toString("utf8")) as T] as const];
    }),
  );
}

/** The worker process that runs the conversation's model call, once one does. */
export async function holderOf(
  conversations: Conversations,
  id: string,
  workers: readonly WorkerProcess[],
): Promise<WorkerProcess> {
  const handle = conversations.temporal.workflow.getHandle(id);
  for (let tries = 0; tries < 100; tries++) {
    const { raw } = await handle.describe();
    const [call] = raw.pendingActivities ?? [];
    const holder = workers.find(({ pid }) => call?.lastWorkerIdentity === `holdfast-${pid}`);
    if (holder !== undefined) return holder;
    await delay(50);
  }
  throw new Error(`No worker process holds a call of ${id}.`);
}

/** What the running model call said in the last beat that has reached the server, as JSON text. */
export async function lastBeatOf(conversations: Conversations, id: string): Promise<string> {
  const { raw } = await conversations.temporal.workflow.getHandle(id).describe();
  const [payload] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
  return Buffer.from(payload?.data ?? []).toString("utf8");
}
