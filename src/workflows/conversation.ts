/** The workflow: a conversation that lives for minutes or for years. */
import { ApplicationFailure, CancellationScope, upsertMemo, workflowInfo } from "@temporalio/workflow";
import { startingState } from "../core/conversation/continue.js";
import type { ConversationEnd } from "../core/conversation/messages.js";
import { isStart } from "../core/conversation/start-shape.js";
import type { ConversationHead, Segment } from "../core/conversation/state.js";
import { isJsonObject } from "../core/json.js";
import { ConversationRun } from "./conversation-run.js";
import { rebindCarried, registerHandlers } from "./handlers.js";
import { takeSignalsApart } from "./interceptors.js";
import { TurnReplies } from "./turn-replies.js";

/**
 * Takes the state (WFL-177, WFL-185), each part an argument of its own: the head, the sealed segments, the tail, and a parked turn.
 * Completes when it has been closed and its queue has drained: with nothing, or with what went wrong at the end.
 */
export async function conversation(
  head: ConversationHead,
  ...segments: Segment[]
): Promise<ConversationEnd | undefined> {
  if (
    !isJsonObject(head) ||
    head.layout !== 1 ||
    !segments.every(isSegment) ||
    !wasBegunWell(head, segments)
  ) {
    throw ApplicationFailure.nonRetryable(
      "A conversation starts from its head and segments: start it with Conversations.start or `holdfast import`.",
      "UsageError",
    );
  }
  leaveFirstEvent(head);
  takeSignalsApart(head);
  const run = new ConversationRun(startingState(head, segments));
  const replies = new TurnReplies(run);
  run.move.waitFor(() => !replies.isSending);
  registerHandlers(run, replies);
  CancellationScope.current().cancelRequested.catch(() => run.shutDown());
  await CancellationScope.nonCancellable(async () => {
    await Promise.all([rebindCarried(run, head.rebinds ?? []), run.drive(), run.moveWhileParked()]);
    await replies.sent();
  });
  return run.envelopeError === undefined ? undefined : { envelope_error: run.envelopeError };
}

/**
 * A replay joins a workflow task that left no event with the next one. Updates that came with that one would then be handled
 * while the handlers are being registered, in another order than they were: the conversation could never be continued.
 */
function leaveFirstEvent({ layout }: ConversationHead): void {
  upsertMemo({ layout });
}

/**
 * Of a first run, which somebody may have started by hand. What a run hands to the next is left to the builds that know it: with a head
 * that this one does not know it fails its workflow task, not the conversation.
 */
function wasBegunWell(head: unknown, segments: readonly unknown[]): boolean {
  return workflowInfo().continuedFromExecutionRunId !== undefined || isStart(head, segments);
}

function isSegment(value: unknown): boolean {
  return isJsonObject(value) && Array.isArray(value.messages) && Array.isArray(value.turn_index);
}
