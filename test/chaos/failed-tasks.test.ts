import proto from "@temporalio/proto";
import { describe, expect, it } from "vitest";
import { tasksFailedByWorker } from "../support/temporal-view.js";

const { HistoryEvent } = proto.temporal.api.history.v1;
const completed = HistoryEvent.create({ workflowTaskCompletedEventAttributes: {} });
const failed = (message: string) =>
  HistoryEvent.create({ workflowTaskFailedEventAttributes: { failure: { message } } });

const REPEATED =
  "BadUpdateWorkflowExecutionMessage: invalid state transition attempted for Update c1-t6: received *update.Acceptance message while in state Completed";
const NOT_SHOWN = "No command scheduled for event HistoryEvent(id: 9, WorkflowExecutionUpdateAccepted)";

describe("workflow tasks that failed", () => {
  it.each([REPEATED, NOT_SHOWN])("CHA-22 are passed over where the next attempt passed: %s", (message) => {
    expect(tasksFailedByWorker([completed, failed(message), completed])).toEqual([]);
    expect(tasksFailedByWorker([failed(message), failed(message), completed])).toEqual([message]);
    expect(tasksFailedByWorker([completed, failed(message)])).toEqual([message]);
  });

  it("CHA-22 are told for any other reason", () => {
    const odd = "received *update.Request message while in state Completed";
    expect(tasksFailedByWorker([failed(odd), completed, failed("TypeError: odd"), completed])).toEqual([
      odd,
      "TypeError: odd",
    ]);
  });
});
