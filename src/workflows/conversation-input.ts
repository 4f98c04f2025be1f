/** A conversation as a child of somebody's own workflow. */
import {
  type ChildWorkflowOptions,
  ParentClosePolicy,
  uuid4,
  WorkflowIdReusePolicy,
} from "@temporalio/workflow";
import type { Agent } from "../core/agent.js";
import { freshState } from "../core/conversation/restore.js";
import type { ConversationHead, Segment } from "../core/conversation/state.js";
import { prefixOf } from "../core/envelope/fingerprint.js";

export interface ConversationInputOptions {
  /** The workflow id, by which `Conversations.open` finds it. A random one without it. */
  readonly id?: string;
  /** A file on the worker's machine that is rewritten after every ended turn; an absolute path. */
  readonly checkpoint?: { readonly path: string };
}

export interface ConversationInput extends Omit<ChildWorkflowOptions, "typeInfo"> {
  readonly workflowId: string;
  readonly args: [head: ConversationHead, ...segments: Segment[]];
}

/**
 * The options with which `startChild(conversation, …)` begins a conversation. When the parent ends, the conversation is cancelled, which
 * stops its turn and keeps its last envelope; `{ ...conversationInput(agent), parentClosePolicy: "ABANDON" }` lets it live on.
 */
export function conversationInput(agent: Agent, options: ConversationInputOptions = {}): ConversationInput {
  const { id = uuid4(), checkpoint } = options;
  const { head, segments, tail } = freshState({
    conversationId: id,
    now: new Date().toISOString(),
    agent: agent.spec,
    prefix: prefixOf(agent.spec),
    checkpoint:
      checkpoint === undefined
        ? null
        : { path: checkpoint.path, run_count: null, turn_id: null, error: null },
  });
  const { provider, model, created_at } = head;
  return {
    workflowId: id,
    args: [head, ...segments, tail],
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    workflowTaskTimeout: "5 seconds",
    memo: {
      provider,
      model,
      created_at,
      ...(agent.spec.name === undefined ? {} : { agent: agent.spec.name }),
    },
    staticSummary: `conversation · ${model}`,
  };
}
