/** Runs in the thread of a worker's workflows: Temporal's own thread, without its hook on every promise (decision 0036). */
import { globalHandlers } from "@temporalio/worker/lib/workflow/vm-shared.js";
import "@temporalio/worker/lib/workflow/workflow-worker-thread.js";

// It is installed with the bundle, which comes by message. A query for the stack of a workflow is told that there is none.
Object.assign(globalHandlers, { setPromiseHook: () => undefined });
