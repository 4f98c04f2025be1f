/** Workflows whose thread is asked what they have said to their sinks only where they have said something (decision 0038). */
import type { Workflow, WorkflowCreator } from "@temporalio/worker/lib/workflow/interface.js";

/** As src/worker/workflow-thread.ts has it told: whether the sinks, above all the log, have nothing to hear of this step. */
export type Completion = Awaited<ReturnType<Workflow["activate"]>> & { isSilent?: boolean };

/** Temporal's worker asks after each step of a workflow, which costs its thread a message as the step itself does. */
export class SparingWorkflowCreator implements WorkflowCreator {
  readonly #creator: WorkflowCreator;

  constructor(creator: WorkflowCreator) {
    this.#creator = creator;
  }

  async createWorkflow(options: Parameters<WorkflowCreator["createWorkflow"]>[0]): Promise<Workflow> {
    return new SparingWorkflow(await this.#creator.createWorkflow(options));
  }

  destroy(): Promise<void> {
    return this.#creator.destroy();
  }
}

class SparingWorkflow implements Workflow {
  readonly #workflow: Workflow;
  #isSilent = false;

  constructor(workflow: Workflow) {
    this.#workflow = workflow;
  }

  async activate(activation: Parameters<Workflow["activate"]>[0]): Promise<Completion> {
    this.#isSilent = false;
    const completion: Completion = await this.#workflow.activate(activation);
    this.#isSilent = completion.isSilent === true;
    return completion;
  }

  async getAndResetSinkCalls(): ReturnType<Workflow["getAndResetSinkCalls"]> {
    return this.#isSilent ? [] : this.#workflow.getAndResetSinkCalls();
  }

  dispose(): Promise<void> {
    return this.#workflow.dispose();
  }
}
