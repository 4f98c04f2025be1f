/** Temporal's worker, without a watchman over each step of a workflow. */
import { type Logger, Worker } from "@temporalio/worker";
import type { CompiledWorkerOptions } from "@temporalio/worker/lib/worker-options.js";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface.js";
import type { WorkflowBundleWithSourceMapAndFilename } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input.js";

/**
 * Temporal's own allows each call into the sandbox five seconds, and Node starts and ends a thread to watch each: a quarter of a
 * millisecond, ten times a turn (decision 0034). The only workflow here is the conversation, and a long one needs the time it needs.
 */
export class UnwatchedWorker extends Worker {
  protected static override createWorkflowCreator(
    bundle: WorkflowBundleWithSourceMapAndFilename,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // Undefined is what Node's `vm` takes for no limit; the library's type knows limits alone.
    const unlimited = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    return Worker.createWorkflowCreator(bundle, unlimited, logger);
  }
}
