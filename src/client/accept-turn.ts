/** A submission handed to its conversation, which is started with it where it has not begun. */
import { TurnRefusedError } from "../core/errors/errors.js";
import * as m from "../workflows/messages.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import type { TurnSubmission } from "./submission.js";
import { unlessClosed } from "./was-closed.js";

/** Resolves once the turn is accepted durably. @throws TurnRefusedError, NoWorkerError, ServerUnreachableError */
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
  );
  await unlessClosed(whole, conversationId, accepting, (message) => new TurnRefusedError(message, "closed"));
}
