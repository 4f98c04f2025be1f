import proto from "@temporalio/proto";
import { describe, expect, it } from "vitest";
import { failedTaskLines, tasksFailedByWorker } from "../support/temporal-view.js";

const { HistoryEvent } = proto.temporal.api.history.v1;
const completed = HistoryEvent.create({ workflowTaskCompletedEventAttributes: {} });
const failed = (message: string) =>
  HistoryEvent.create({ workflowTaskFailedEventAttributes: { failure: { message } } });

const REPEATED =
  "BadUpdateWorkflowExecutionMessage: invalid state transition attempted for Update c1-t6: received *update.Acceptance message while in state Completed";
const TWICE_IN_ONE =
  "BadUpdateWorkflowExecutionMessage: invalid state transition attempted for Update 09a7-83a2: received *update.Acceptance message while in state ProvisionallyCompleted";
const NOT_STARTED =
  "Fatal error in workflow machines: ActivityMachine in state ScheduledEventRecorded says the transition is invalid during event EventInfo { event_id: 14, event_type: ActivityTaskCompleted }";
const NOT_SHOWN = "No command scheduled for event HistoryEvent(id: 9, WorkflowExecutionUpdateAccepted)";

describe("workflow tasks that failed", () => {
  it.each([REPEATED, TWICE_IN_ONE, NOT_SHOWN, NOT_STARTED])(
    "CHA-22 are passed over where the next attempt passed: %s",
    (message) => {
      expect(tasksFailedByWorker([completed, failed(message), completed])).toEqual([]);
      expect(tasksFailedByWorker([failed(message), failed(message), completed])).toEqual([message]);
      expect(tasksFailedByWorker([completed, failed(message)])).toEqual([message]);
    },
  );

  it("CHA-22 are printed among their neighbours", () => {
    const events = Array.from({ length: 13 }, (_, at) =>
      HistoryEvent.fromObject(
        at < 12
          ? { eventId: at + 1, eventType: "EVENT_TYPE_WORKFLOW_TASK_COMPLETED" }
          : {
              eventId: 13,
              eventType: "EVENT_TYPE_WORKFLOW_TASK_FAILED",
              workflowTaskFailedEventAttributes: { failure: { message: "TypeError: odd" } },
            },
      ),
    );
    expect(failedTaskLines(events)).toHaveLength(12);
    expect(failedTaskLines(events).at(-1)).toBe("13 EVENT_TYPE_WORKFLOW_TASK_FAILED TypeError: odd");
    expect(failedTaskLines(events.slice(0, -1))).toEqual([]);
  });

  it("CHA-22 are told for any other reason", () => {
    const odd = "received *update.Request message while in state Completed";
    expect(tasksFailedByWorker([failed(odd), completed, failed("TypeError: odd"), completed])).toEqual([
      odd,
      "TypeError: odd",
    ]);
  });
});
