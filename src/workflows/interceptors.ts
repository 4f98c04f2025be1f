/**
 * Results before messages: what a workflow task brings of activities is handled to its end before the updates, signals and
 * the cancellation that come with it.
 *
 * A query that is on its way when a turn ends shows its worker the end ahead of the workflow task. The SDK hands it to the
 * workflow at once, and the messages of the task follow in an activation of their own; a replay has both in one activation,
 * the messages first. Handled in that order the commands of the two would differ, and once the worker's cache is lost nobody
 * could continue the conversation: of forty conversations with forty callers each, under load, one ended so (decision 0023).
 */
import { CancellationScope, condition, type WorkflowInterceptors, workflowInfo } from "@temporalio/workflow";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";

/** By this a bundle is known to have the interceptors. */
export const MARK = "holdfast:results-before-messages";

/** Passes over the blocked conditions after which nothing moves any more. The longest chain, from a tool's result to the next model call, needs far fewer. */
const PASSES = 32;

/** For conversations only: the workflows beside them keep the order in which they were recorded. */
export function interceptors(): WorkflowInterceptors {
  if (workflowInfo().workflowType !== WORKFLOW_TYPE) return {};
  return {
    internals: [
      {
        activate(input, next) {
          const jobs = input.activation.jobs ?? [];
          const messages = jobs.filter(isMessage);
          const results = jobs.filter((job) => !isMessage(job));
          if (messages.length === 0 || results.length === 0 || jobs.some(isStart)) return next(input);
          next(withJobs(input, results));
          void settled().then(() => next(withJobs(input, messages)));
        },
      },
    ],
  };
}

type Internals = NonNullable<WorkflowInterceptors["internals"]>[number];
type ActivateInput = Parameters<NonNullable<Internals["activate"]>>[0];
type Job = NonNullable<ActivateInput["activation"]["jobs"]>[number];

function isMessage({ doUpdate, signalWorkflow, cancelWorkflow }: Job): boolean {
  return doUpdate != null || signalWorkflow != null || cancelWorkflow != null;
}

function isStart({ initializeWorkflow }: Job): boolean {
  return initializeWorkflow != null;
}

function withJobs(input: ActivateInput, jobs: Job[]): ActivateInput {
  return { ...input, activation: { ...input.activation, jobs } };
}

/** Once the results have had their whole effect. */
function settled(): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    for (let pass = 0; pass < PASSES; pass++) await condition(() => true);
  });
}
