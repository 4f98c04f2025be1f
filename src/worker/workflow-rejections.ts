/** What a workflow rejects and nobody catches, told to that workflow. */
import { UnhandledRejectionError } from "@temporalio/worker";
import { ReusableVMWorkflowCreator } from "@temporalio/worker/lib/workflow/reusable-vm.js";

let sandboxes = 0;

/**
 * Begins with the first sandbox and ends with the last. A promise of the process's own stays Node's to deal with, as if nobody
 * listened.
 *
 * @returns what says that the sandbox is gone.
 */
export function hearRejections(): () => void {
  if (sandboxes === 0) process.on("unhandledRejection", hear);
  sandboxes += 1;
  return () => {
    sandboxes -= 1;
    if (sandboxes === 0) process.off("unhandledRejection", hear);
  };
}

function hear(reason: unknown, promise: Promise<unknown>): void {
  const runId = runIdOf(promise);
  if (runId === undefined) leaveToNode(reason);
  else {
    const error = new UnhandledRejectionError(`Unhandled Promise rejection: ${reason}`, reason);
    ReusableVMWorkflowCreator.workflowByRunId.get(runId)?.setUnhandledRejection(error);
  }
}

/** A sandbox has promises of its own, and the workflow that ran in it last has left its name there, as Temporal's thread asks for it. */
function runIdOf(promise: Promise<unknown>): string | undefined {
  if (promise instanceof Promise) return undefined;
  const inside = (promise as Promise<unknown>).constructor.constructor;
  return inside("return globalThis.__TEMPORAL_ACTIVATOR__?.info.runId")();
}

/** Node ends a process where nobody listens for what nobody caught. */
function leaveToNode(reason: unknown): void {
  if (process.listenerCount("unhandledRejection") === 1) throw reason;
}
