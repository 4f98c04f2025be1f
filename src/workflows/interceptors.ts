/**
 * Results before messages: what a workflow task brings of activities is handled to its end before the updates, signals and
 * the cancellation that come with it; and each signal before the next, and before all updates.
 *
 * A query that is on its way when a turn ends shows its worker the end ahead of the workflow task. The SDK hands it to the
 * workflow at once, and the messages of the task follow in an activation of their own; a replay has both in one activation,
 * the messages first. Handled in that order the commands of the two would differ, and once the worker's cache is lost nobody
 * could continue the conversation: of forty conversations with forty callers each, under load, one ended so (decision 0023).
 */
import { CancellationScope, condition, type WorkflowInterceptors, workflowInfo } from "@temporalio/workflow";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import type { ConversationHead } from "../core/conversation/state.js";

/** By this a bundle is known to have the interceptors. */
export const MARK = "holdfast:results-before-messages";

/** Passes over the blocked conditions after which nothing moves any more. The longest chain, from a tool's result to the next model call, needs far fewer. */
const PASSES = 32;

let areSignalsApart = false;

/**
 * To be called as a run begins: its head says whether they are. A query can show a worker signals, too, ahead of the update that the workflow
 * task then brings: what they started is recorded before it, where a replay would accept the update first.
 */
export function takeSignalsApart({ signals_apart }: Pick<ConversationHead, "signals_apart">): void {
  areSignalsApart = signals_apart === true;
}

/** For conversations only: the workflows beside them keep the order in which they were recorded. */
export function interceptors(): WorkflowInterceptors {
  if (workflowInfo().workflowType !== WORKFLOW_TYPE) return {};
  return {
    internals: [
      {
        activate(input, next) {
          const [first, ...later] = stagesOf(input.activation.jobs ?? []);
          if (first === undefined || later.length === 0) return next(input);
          next(withJobs(input, first));
          let before = settled();
          for (const stage of later) {
            before = before.then(() => next(withJobs(input, stage))).then(settled);
          }
        },
      },
    ],
  };
}

type Internals = NonNullable<WorkflowInterceptors["internals"]>[number];
type ActivateInput = Parameters<NonNullable<Internals["activate"]>>[0];
type Job = NonNullable<ActivateInput["activation"]["jobs"]>[number];

/** Each is handled to its end before the next. Updates come last: the server lets them follow all events of their task. */
function stagesOf(jobs: readonly Job[]): readonly Job[][] {
  if (jobs.some(isStart)) return [];
  const messages = jobs.filter(isMessage);
  const apart = areSignalsApart
    ? [...messages.filter((job) => !isUpdate(job)).map((job) => [job]), messages.filter(isUpdate)]
    : [messages];
  return [jobs.filter((job) => !isMessage(job)), ...apart].filter((stage) => stage.length > 0);
}

function isUpdate({ doUpdate }: Job): boolean {
  return doUpdate != null;
}

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
