/** A question of somebody's own workflow to a conversation, and its answer. */
import {
  ApplicationFailure,
  type ChildWorkflowHandle,
  condition,
  type ExternalWorkflowHandle,
  setHandler,
  uuid4,
  workflowInfo,
} from "@temporalio/workflow";
import type { Submission, TurnEnded, TurnResult, TurnView } from "../core/conversation/messages.js";
import { isJsonObject } from "../core/json.js";
import type { conversation } from "./conversation.js";
import * as m from "./messages.js";

/** A child of this workflow, or `getExternalWorkflowHandle(id)` of a conversation that somebody else has started. */
export type AskedConversation =
  | ChildWorkflowHandle<typeof conversation>
  | Pick<ExternalWorkflowHandle, "workflowId" | "signal">;

export interface AskOptions extends Pick<Submission, "files" | "on_busy"> {
  /** The same for a question that is asked again, after a continue-as-new of the asking workflow for example: it runs once. */
  readonly turnId?: string;
}

/** Turns of this workflow's questions that have ended, until they are looked at. A module is loaded once a workflow. */
let ended: Map<string, TurnView> | undefined;

/**
 * Sends a message and waits for its turn to end: by the signal `submit_turn`, which the conversation answers by the signal `turn_ended` to
 * this workflow. Cancelling the waiting leaves the turn running.
 *
 * @throws ApplicationFailure of type TurnInterruptedError or TurnRefusedError with the turn's view as its detail, or
 * ConversationNotFoundError where a child has closed; what the signal fails with.
 */
export async function askConversation(
  conversation: AskedConversation,
  message: string,
  options: AskOptions = {},
): Promise<TurnResult> {
  const turns = listen();
  const { turnId = uuid4(), ...rest } = options;
  const reply_to = { workflow_id: workflowInfo().workflowId };
  const submission: Submission = { ...rest, message, turn_id: turnId, reply_to };
  await conversation.signal(m.submitTurnSignal, submission);
  let closed = false;
  if ("result" in conversation) {
    const left = (): void => {
      closed = true;
    };
    conversation.result().then(left, left);
  }
  await condition(() => closed || turns.has(turnId));
  const turn = turns.get(turnId);
  turns.delete(turnId);
  if (turn !== undefined) return resultOf(turn);
  throw ApplicationFailure.nonRetryable(
    `Conversation ${conversation.workflowId} closed before it had answered turn ${turnId}.`,
    "ConversationNotFoundError",
  );
}

function listen(): Map<string, TurnView> {
  if (ended !== undefined) return ended;
  const turns = new Map<string, TurnView>();
  ended = turns;
  setHandler(m.turnEnded, (message: TurnEnded) => {
    if (isJsonObject(message) && isJsonObject(message.turn) && typeof message.turn.turn_id === "string")
      turns.set(message.turn.turn_id, message.turn as unknown as TurnView);
  });
  return turns;
}

function resultOf(turn: TurnView): TurnResult {
  if (turn.result !== undefined) return turn.result;
  const error = turn.interrupted_turn?.error ?? turn.error ?? "The turn did not complete.";
  const type = turn.state === "refused" ? "TurnRefusedError" : "TurnInterruptedError";
  throw ApplicationFailure.nonRetryable(error, type, turn);
}
