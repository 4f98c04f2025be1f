/** The workflow: a conversation that lives for minutes or for years. */
import { ApplicationFailure, CancellationScope } from "@temporalio/workflow";
import type { ConversationHead, Segment } from "../core/conversation/state.js";
import { isJsonObject } from "../core/json.js";
import { ConversationRun } from "./conversation-run.js";
import { registerHandlers } from "./handlers.js";

/**
 * Takes the state of design rule 6, each part an argument of its own: the head, the sealed segments, the tail.
 * Completes when it has been closed and its queue has drained.
 */
export async function conversation(head: ConversationHead, ...segments: Segment[]): Promise<void> {
  if (!isJsonObject(head) || head.layout !== 1 || !segments.every(isSegment)) {
    throw ApplicationFailure.nonRetryable(
      "A conversation starts from its head and segments: start it with Conversations.start or `holdfast import`.",
      "UsageError",
    );
  }
  const run = new ConversationRun(head, segments);
  registerHandlers(run);
  CancellationScope.current().cancelRequested.catch(() => run.shutDown());
  await CancellationScope.nonCancellable(() => run.drive());
}

function isSegment(value: unknown): boolean {
  return isJsonObject(value) && Array.isArray(value.messages) && Array.isArray(value.turn_index);
}
