/** Temporal's worker, its workflows in its own thread. */
import { Worker, type WorkerOptions } from "@temporalio/worker";
import type { WorkflowSandbox } from "./workflow-sandbox.js";

/** Temporal's own runs workflows in a thread beside it; here they have the worker's (decision 0039). */
export class ConversationWorker extends Worker {
  /** The worker ends the sandbox that it is given, but where it cannot be made. */
  static createWith(sandbox: Promise<WorkflowSandbox>, options: WorkerOptions): Promise<Worker> {
    class SandboxedWorker extends ConversationWorker {
      protected static override async getOrCreateBundle(): Promise<WorkflowSandbox["bundle"]> {
        return (await sandbox).bundle;
      }
      protected static override createWorkflowCreator(): Promise<WorkflowSandbox> {
        return sandbox;
      }
    }
    return SandboxedWorker.create(options);
  }
}
