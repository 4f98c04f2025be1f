/** Somebody's word on a tool call that waits for it. */
import { randomUUID } from "node:crypto";
import { editedSizeIssue, requestIssue, type Verdict } from "../core/conversation/approvals.js";
import type { ApproveRequest, ConversationStatus } from "../core/conversation/messages.js";
import { UsageError } from "../core/errors/errors.js";
import type { JsonObject } from "../core/json.js";
import * as m from "../workflows/messages.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import { assertOptionsOf } from "./option-names.js";
import { unlessClosed } from "./was-closed.js";

export interface DenyOptions {
  /** Told to the model. */
  readonly reason?: string;
  /** Of the turn that waits; by default the one that runs. */
  readonly turnId?: string;
}

export interface ApproveOptions extends DenyOptions {
  /** What the tool gets instead of the model's arguments; the model is told, and so it stands in the history. */
  readonly arguments?: JsonObject;
}

/**
 * Decides a call, and returns once the conversation has taken it. Sent again after a lost answer it counts once.
 *
 * @throws UsageError for a call that does not wait, or no longer, and for what the conversation would not take.
 */
export async function decideCall(
  context: ClientContext,
  verdict: Verdict,
  status: ConversationStatus,
  request: ApproveRequest,
): Promise<void> {
  const { conversation_id: id } = status;
  const handle = context.client.workflow.getHandle(id);
  const update = verdict === "approve" ? m.approveUpdate : m.denyUpdate;
  const options = { args: [pinned(status, request)] as [ApproveRequest], updateId: randomUUID() };
  const deciding = callConversation(context, id, () => handle.executeUpdate(update, options));
  await unlessClosed(context, id, deciding, (message) => new UsageError(message));
}

/**
 * What the conversation is sent, checked as it checks it.
 *
 * @throws UsageError for an unknown option, a reason that is no text, arguments that are no JSON object or too large.
 */
export function decisionRequest(
  verdict: Verdict,
  call: number | string,
  options: ApproveOptions,
): ApproveRequest {
  assertOptionsOf(verdict, options);
  const { reason, turnId, arguments: edited } = options;
  const request: ApproveRequest = {
    call,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(reason === undefined ? {} : { reason }),
    ...(edited === undefined ? {} : { arguments: edited }),
  };
  const issue = requestIssue(verdict, request) ?? editedSizeIssue(request);
  if (issue !== undefined) throw new UsageError(issue);
  return request;
}

/** To the turn in which the call waits now: a later one has a call of that number as well. */
function pinned({ approvals }: ConversationStatus, request: ApproveRequest): ApproveRequest {
  const waits = approvals.find(
    ({ call, id }) => id === request.call || String(call) === String(request.call),
  );
  return request.turn_id === undefined && waits !== undefined
    ? { ...request, turn_id: waits.turn_id }
    : request;
}
