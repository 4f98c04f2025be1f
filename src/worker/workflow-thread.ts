/** Runs in the thread of a worker's workflows: Temporal's own thread, without what a conversation does not need. */
import type { Workflow } from "@temporalio/worker/lib/workflow/interface.js";
import { BaseVMWorkflow, globalHandlers } from "@temporalio/worker/lib/workflow/vm-shared.js";
import "@temporalio/worker/lib/workflow/workflow-worker-thread.js";
import type { Completion } from "./sparing-workflows.js";

// No hook on every promise (decision 0036). It is installed with the bundle, which comes by message. A query for the stack of a
// workflow is told that there is none.
Object.assign(globalHandlers, { setPromiseHook: () => undefined });

/** The SDK keeps it from others by its types alone. */
interface Sandboxed {
  readonly activator: { readonly sinkCalls: readonly unknown[] };
}

// With each step a workflow tells whether it has said anything to its sinks, so that nobody need ask (decision 0038).
const { activate } = BaseVMWorkflow.prototype;
const activateAndTell: Workflow["activate"] = async function (
  this: BaseVMWorkflow & Sandboxed,
  activation,
): Promise<Completion> {
  const completion: Completion = await activate.call(this, activation);
  completion.isSilent = this.activator.sinkCalls.length === 0;
  return completion;
};
Object.assign(BaseVMWorkflow.prototype, { activate: activateAndTell });
