/** Somebody's word on a tool call that waits for it. */
import type { ApproveRequest, ConversationStatus } from "../core/conversation/messages.js";
import { UsageError } from "../core/errors/errors.js";
import type { JsonObject } from "../core/json.js";
import { assertOptionsOf } from "./option-names.js";

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
 * What the conversation is sent. A signal has no answer, so the call is looked for first.
 *
 * @throws UsageError for a call that does not wait, or an id under which several do, and an unknown option.
 */
export function decisionRequest(
  verdict: "approve" | "deny",
  { conversation_id: id, approvals }: ConversationStatus,
  call: number | string,
  options: ApproveOptions,
): ApproveRequest {
  assertOptionsOf(verdict, options);
  const { reason, turnId, ...edited } = options;
  const byId = approvals.filter((one) => one.id === call);
  const found = byId.length > 0 ? byId : approvals.filter((one) => String(one.call) === String(call));
  const [only, ...others] = found.filter(({ turn_id }) => turnId === undefined || turn_id === turnId);
  if (only === undefined) {
    const numbers = approvals.map((one) => one.call).join(", ");
    const which = numbers === "" ? "none does" : `those that do are ${numbers}`;
    throw new UsageError(`No call ${call} of ${id} waits for approval: ${which}.`);
  }
  if (others.length > 0)
    throw new UsageError(`Several calls with the id ${call} wait: name one by its number.`);
  return {
    call: only.call,
    turn_id: only.turn_id,
    ...(reason === undefined ? {} : { reason }),
    ...(edited.arguments === undefined ? {} : { arguments: edited.arguments }),
  };
}
