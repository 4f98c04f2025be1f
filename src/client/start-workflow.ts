/** The start of a conversation's workflow: by itself, or together with its first turn in one call to the server. */
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowIdReusePolicy,
  type WorkflowStartOptions,
} from "@temporalio/client";
import { type Receipt, type Submission, WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { atRunEnd } from "../core/conversation/segment.js";
import type { ConversationState } from "../core/conversation/state.js";
import type { ProviderName } from "../core/providers.js";
import * as m from "../workflows/messages.js";
import { existsError } from "./conversation-id.js";

export type ConversationStart = WorkflowStartOptions & {
  readonly workflowId: string;
  readonly memo: ServingModel;
};

/** Who answers in the conversation. */
interface ServingModel {
  readonly provider: ProviderName;
  readonly model: string;
}

/** What the server is told of the conversation that this state begins. */
export function startOptions(
  state: ConversationState,
  taskQueue: string,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
): ConversationStart {
  const { head, segments, tail } = atRunEnd(state);
  return {
    workflowId: head.conversation_id,
    taskQueue,
    args: [head, ...segments, tail],
    workflowIdReusePolicy,
    // A worker that dies in the middle of a workflow task, or loses one, holds the conversation up for this long.
    workflowTaskTimeout: "5 seconds",
    memo: {
      provider: head.provider,
      model: head.model,
      created_at: head.created_at,
      ...(head.agent.name === undefined ? {} : { agent: head.agent.name }),
    },
    staticSummary: `conversation · ${head.model}`,
  };
}

/**
 * A conversation that its first use starts: a turn in the same call as the turn's own, so that of any number of processes
 * one starts it and all get their turn in. One that has been closed is never started anew.
 */
export class DeferredStart {
  readonly #client: Client;
  readonly #options: ReturnType<typeof startOptions>;
  #isStarted = false;

  constructor(client: Client, options: ReturnType<typeof startOptions>) {
    this.#client = client;
    this.#options = options;
  }

  /** Of the conversation as it starts; undefined once it is there, for it may have been rebound. */
  get serving(): ServingModel | undefined {
    return this.#isStarted ? undefined : this.#options.memo;
  }

  /** Starts it unless it is there. @throws ConversationExistsError when it has been closed. */
  async ensure(): Promise<void> {
    if (this.#isStarted) return;
    const options = { ...this.#options, workflowIdConflictPolicy: "USE_EXISTING" as const };
    await this.#unlessClosed(this.#client.workflow.start(WORKFLOW_TYPE, options));
  }

  /** @throws ConversationExistsError when it has been closed; what the update fails with. */
  submit(submission: Submission & { readonly turn_id: string }): Promise<Receipt> {
    const options = { args: [submission] as [Submission], updateId: submission.turn_id };
    if (this.#isStarted) {
      return this.#client.workflow.getHandle(this.#options.workflowId).executeUpdate(m.submitTurn, options);
    }
    const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW_TYPE, {
      ...this.#options,
      workflowIdConflictPolicy: "USE_EXISTING",
    });
    return this.#unlessClosed(
      this.#client.workflow.executeUpdateWithStart(m.submitTurn, { ...options, startWorkflowOperation }),
    );
  }

  async #unlessClosed<T>(starting: Promise<T>): Promise<T> {
    try {
      const started = await starting;
      this.#isStarted = true;
      return started;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError)
        throw existsError(this.#options.workflowId, false);
      throw error;
    }
  }
}
