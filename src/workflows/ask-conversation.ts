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

export interface AskOptions extends Pick<Submission, "files" | "on_busy" | "output_schema"> {
  /** The same for a question that is asked again, after a continue-as-new of the asking workflow for example: it runs once. */
  readonly turnId?: string;
}

/** A turn that is waited for, by as many as asked for it. */
interface Awaited {
  waiting: number;
  turn: TurnView | undefined;
}

/** By turn id. A module is loaded once a workflow. */
let awaited: Map<string, Awaited> | undefined;

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
  const { turnId = uuid4(), ...rest } = options;
  const reply_to = { workflow_id: workflowInfo().workflowId };
  const turns = listen();
  const asked = turns.get(turnId) ?? { waiting: 0, turn: undefined };
  turns.set(turnId, asked);
  asked.waiting++;
  try {
    await conversation.signal(m.submitTurnSignal, { ...rest, message, turn_id: turnId, reply_to });
    const closed = closingOf(conversation);
    await condition(() => asked.turn !== undefined || closed.done);
  } finally {
    asked.waiting--;
    if (asked.waiting === 0) turns.delete(turnId);
  }
  if (asked.turn !== undefined) return resultOf(asked.turn);
  throw ApplicationFailure.nonRetryable(
    `Conversation ${conversation.workflowId} closed before it had answered turn ${turnId}.`,
    "ConversationNotFoundError",
  );
}

/** Of a child its parent hears; of another conversation nobody does. */
function closingOf(conversation: AskedConversation): { readonly done: boolean } {
  const closing = { done: false };
  const left = (): void => {
    closing.done = true;
  };
  if ("result" in conversation) conversation.result().then(left, left);
  return closing;
}

function listen(): Map<string, Awaited> {
  if (awaited !== undefined) return awaited;
  const turns = new Map<string, Awaited>();
  awaited = turns;
  setHandler(m.turnEnded, (message: TurnEnded) => {
    const turn: unknown = isJsonObject(message) ? message.turn : undefined;
    if (!isJsonObject(turn) || typeof turn.turn_id !== "string") return;
    const asked = turns.get(turn.turn_id);
    // One that nobody waits for is told again to whoever asks again.
    if (asked !== undefined) asked.turn = turn as unknown as TurnView;
  });
  return turns;
}

function resultOf(turn: TurnView): TurnResult {
  if (turn.result !== undefined) return turn.result;
  const error = turn.interrupted_turn?.error ?? turn.error ?? "The turn did not complete.";
  const type = turn.state === "refused" ? "TurnRefusedError" : "TurnInterruptedError";
  throw ApplicationFailure.nonRetryable(error, type, turn);
}
