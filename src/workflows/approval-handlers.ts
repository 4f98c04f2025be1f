/** The handlers of `approve` and `deny`, each an update and a signal. */
import { patched, setHandler } from "@temporalio/workflow";
import { approvalIssue, editedSizeIssue, type Verdict } from "../core/conversation/approvals.js";
import type { ApproveRequest, ConversationStatus } from "../core/conversation/messages.js";
import { statusOf } from "../core/conversation/views.js";
import type { ConversationRun } from "./conversation-run.js";
import { causeText, handlerFailure, updateFailure } from "./handler-failure.js";
import * as m from "./messages.js";

/** Histories that were recorded when a signal brought arguments of any size replay as they were. */
const SIZE_PATCH = "bounded-edit";

const MESSAGES = {
  approve: {
    update: m.approveUpdate,
    signal: m.approveSignal,
    description: "Lets a tool call run that waits for it: {call, reason?, arguments?}.",
  },
  deny: {
    update: m.denyUpdate,
    signal: m.denySignal,
    description: "Keeps a tool call from running; the model is told: {call, reason?}.",
  },
} as const;

export function registerApprovals(run: ConversationRun): void {
  for (const verdict of ["approve", "deny"] as const) {
    const { update, signal, description } = MESSAGES[verdict];
    setHandler(update, (request: ApproveRequest) => answered(run, verdict, request), {
      validator: (request: ApproveRequest) => {
        if (run.move.isUnderWay) throw run.move.refusal(run.id, "UsageError");
        const issue = approvalIssue(run.state, verdict, request) ?? editedSizeIssue(request);
        if (issue !== undefined) throw handlerFailure("UsageError", issue);
      },
      description,
    });
    setHandler(signal, (request: ApproveRequest) => signalled(run, verdict, request), { description });
  }
}

function answered(run: ConversationRun, verdict: Verdict, request: ApproveRequest): ConversationStatus {
  try {
    const issue = run.decide(verdict, request);
    if (issue !== undefined) throw handlerFailure("UsageError", issue);
    return statusOf(run.state, run.closed);
  } catch (error) {
    throw updateFailure(error, "UsageError");
  }
}

/** A signal has no caller to tell. */
function signalled(run: ConversationRun, verdict: Verdict, request: ApproveRequest): void {
  try {
    const size =
      approvalIssue(run.state, verdict, request) === undefined ? editedSizeIssue(request) : undefined;
    const issue = size !== undefined && patched(SIZE_PATCH) ? size : run.decide(verdict, request);
    if (issue !== undefined) run.recordRefusal(verdict, "not_waiting", issue);
  } catch (error) {
    run.recordRefusal(verdict, "failed", causeText(error));
  }
}
