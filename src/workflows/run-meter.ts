/** Counts what a run has handled. Built into the workflow bundle beside the other interceptors. */
import { type WorkflowInterceptors, workflowInfo } from "@temporalio/workflow";
import { RunMeter } from "../core/conversation/run-limits.js";

/** Of this run: every run loads its modules anew. */
export const runMeter: RunMeter = new RunMeter();

export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        handleSignal(input, next) {
          runMeter.countSignal(input.args);
          return next(input);
        },
        handleUpdate(input, next) {
          runMeter.countUpdate(input.args, workflowInfo().continueAsNewSuggested);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity(input, next) {
          runMeter.countActivity(input.args);
          return counted(next(input), (result) => runMeter.countResult(result));
        },
        startTimer(input, next) {
          runMeter.countTimer();
          return next(input);
        },
        signalWorkflow(input, next) {
          runMeter.countSignal(input.args);
          return next(input);
        },
        scheduleLocalActivity(input, next) {
          return counted(next(input), (result) => runMeter.countLocalActivity(result));
        },
      },
    ],
  };
}

/** The same promise, so that whoever waits for it goes on as soon as without the meter. */
function counted(result: Promise<unknown>, count: (result: unknown) => void): Promise<unknown> {
  result.then(count, () => undefined);
  return result;
}
