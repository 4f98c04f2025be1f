import type { Client } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";
import proto from "@temporalio/proto";
import { describe, expect, it } from "vitest";
import { acknowledgedEnd } from "../../src/client/acknowledged-end.js";
import type { CallModelInput, CallModelResult } from "../../src/core/conversation/activity-contract.js";
import { callInput, replyOf } from "../support/activity-world.js";
import { committed, freshConversation, running } from "../support/conversation-samples.js";

const { EventType } = proto.temporal.api.enums.v1;
const TOLD = [EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED];

const state = running(committed(freshConversation(), "a"), "b");
const { messages, usage, finish_reason, model } = replyOf();
const RESULT = {
  messages,
  root: { digest: "d", count: 4 },
  model,
  endpoint: "messages",
  usage,
  raw_usage: {},
  finish_reason,
  attempt: 2,
  provider_calls: 3,
} as CallModelResult;

interface Scene {
  readonly input?: Partial<CallModelInput>;
  readonly result?: Partial<CallModelResult>;
  readonly activity?: string;
  /** Whether the call was asked to stop. */
  readonly isStopped?: boolean;
  /** The types of what stands behind the end of the call, oldest first. */
  readonly behind?: readonly number[];
}

/** A server whose history ends so. */
function serverWith({ input, result, activity = "callModel", isStopped, behind = TOLD }: Scene = {}): Client {
  const payload = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });
  const events = [
    {
      eventId: 7,
      eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
      activityTaskScheduledEventAttributes: {
        activityType: { name: activity },
        input: payload(callInput(state, input)),
      },
    },
    {
      eventId: 8,
      eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED,
      activityTaskCancelRequestedEventAttributes: { scheduledEventId: isStopped === true ? 7 : 3 },
    },
    {
      eventId: 9,
      eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
      activityTaskCompletedEventAttributes: {
        scheduledEventId: 7,
        result: payload({ ...RESULT, ...result }),
      },
    },
    ...behind.map((eventType, index) => ({ eventId: 10 + index, eventType })),
  ];
  return {
    options: {
      namespace: "default",
      loadedDataConverter: { payloadConverter: defaultPayloadConverter, payloadCodecs: [] },
    },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflowService: {
      getWorkflowExecutionHistoryReverse: async () => ({ history: { events: events.toReversed() } }),
    },
    workflow: { getHandle: () => ({ describe: async () => ({ memo: { provider: "anthropic" } }) }) },
  } as unknown as Client;
}

const endOf = (scene?: Scene, turnId = "b") => acknowledgedEnd(serverWith(scene), "review", turnId);

describe("a turn whose reply is the last thing in the history", () => {
  it("API-175 has ended as its end frame would have said", async () => {
    const told = { turn_id: "b", output: "Clause 4 says so.", attempt: 2, provider_calls: 3, digest: "d" };
    expect(await endOf()).toMatchObject({ ...told, provider: "anthropic", messages: { from: 2, to: 4 } });
    const late = [EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT, ...TOLD];
    expect(await endOf({ behind: [...TOLD, ...late] })).toMatchObject(told);
    expect(await endOf({ behind: [] })).toMatchObject(told);
  });

  it("API-175 is left to its workflow where it goes on, where a checkpoint is to come, and where it is another's", async () => {
    expect(await endOf({ result: { tool_calls: [] } })).toBeUndefined();
    expect(await endOf({ result: { repair: "not JSON" } })).toBeUndefined();
    expect(await endOf({ result: { round_limit: 3 } })).toBeUndefined();
    expect(await endOf({ input: { quiet: true } })).toBeUndefined();
    expect(await endOf({ activity: "callTool" })).toBeUndefined();
    expect(await endOf({}, "another")).toBeUndefined();
  });

  it("API-175 is left to its workflow where that has been told, or where something else was sent to it since", async () => {
    expect(await endOf({ behind: [...TOLD, EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED] })).toBeUndefined();
    expect(
      await endOf({ behind: [EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, ...TOLD] }),
    ).toBeUndefined();
  });

  it("API-320 has not ended so where the call was asked to stop: nobody may have answered that, and the turn be over", async () => {
    expect(await endOf({ isStopped: true })).toBeUndefined();
  });

  it("API-175 is not known where the history cannot be read", async () => {
    const broken = { ...serverWith(), withDeadline: () => Promise.reject(new Error("UNIMPLEMENTED")) };
    expect(await acknowledgedEnd(broken as unknown as Client, "review", "b")).toBeUndefined();
  });
});
