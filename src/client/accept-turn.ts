/** A submission handed to its conversation, which is started with it where it has not begun. */
import { NoWorkerError, TurnRefusedError } from "../core/errors/errors.js";
import * as m from "../workflows/messages.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import { signalConversation } from "./signal-conversation.js";
import type { TurnSubmission } from "./submission.js";
import { unlessClosed } from "./was-closed.js";

/**
 * Resolves once the turn is accepted durably.
 *
 * @throws NoWorkerError with the turn's id once the server has the message, for the next worker; TurnRefusedError, ServerUnreachableError
 */
export async function acceptTurn(
  whole: ClientContext,
  conversationId: string,
  submission: TurnSubmission,
): Promise<void> {
  const { starting, ...context } = whole;
  const handle = context.client.workflow.getHandle(conversationId);
  const submit = () =>
    starting === undefined
      ? handle.executeUpdate(m.submitTurn, { args: [submission], updateId: submission.turn_id })
      : starting.submit(submission);
  const accepting = callConversation({ ...context, starting: undefined }, conversationId, () =>
    context.updates.run(conversationId, submit),
  ).catch((error: unknown) => leaveWaiting(whole, conversationId, submission, error));
  await unlessClosed(whole, conversationId, accepting, (message) => new TurnRefusedError(message, "closed"));
}

/** An update is nowhere until a worker has it. A signal is kept, and of two under one turn id one runs. */
async function leaveWaiting(
  context: ClientContext,
  conversationId: string,
  submission: TurnSubmission,
  error: unknown,
): Promise<never> {
  if (!(error instanceof NoWorkerError)) throw error;
  await signalConversation(context, conversationId, (handle) =>
    handle.signal(m.submitTurnSignal, submission),
  );
  const { turn_id: turnId } = submission;
  throw new NoWorkerError(
    `${error.message} The message waits at the server as turn ${turnId} and is answered once one does; ${sentAgain}.`,
    { cause: error, turnId },
  );
}

/** The failure of who waits for an accepted turn. */
export function whileAccepted(error: unknown, turnId: string): unknown {
  if (!(error instanceof NoWorkerError)) return error;
  return new NoWorkerError(
    `${error.message} Turn ${turnId} was accepted and goes on once a worker has it; ${sentAgain}.`,
    { cause: error, turnId },
  );
}

const sentAgain = "sent again under that id (`turnId`) it runs once";
