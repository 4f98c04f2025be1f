/** The handlers of `approve` and `deny`, each an update and a signal. */
import { patched, proxyActivities, setHandler } from "@temporalio/workflow";
import type { ConversationActivities } from "../core/conversation/activity-contract.js";
import {
  approvalIssue,
  countEdited,
  editedSizeIssue,
  editedSumIssue,
  stoppingIssue,
  unfitText,
  type Verdict,
  waitingCall,
} from "../core/conversation/approvals.js";
import type { ApproveRequest, ConversationStatus } from "../core/conversation/messages.js";
import { statusOf } from "../core/conversation/views.js";
import { CHECK_OPTIONS } from "./activity-options.js";
import type { ConversationRun } from "./conversation-run.js";
import { causeText, handlerFailure, updateFailure } from "./handler-failure.js";
import * as m from "./messages.js";

/** Histories that were recorded when a signal brought arguments of any size replay as they were. */
const SIZE_PATCH = "bounded-edit";
/** And those of when nobody looked at them before the tool's call. */
const CHECK_PATCH = "checked-edit";
/** And those of when a round took any number of them. */
const SUM_PATCH = "bounded-edits";

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
        const issue =
          approvalIssue(run.state, verdict, request) ??
          stoppingIssue(run.state) ??
          editedSizeIssue(request) ??
          editedSumIssue(run.state, request);
        if (issue !== undefined) throw handlerFailure("UsageError", issue);
      },
      description,
    });
    setHandler(signal, (request: ApproveRequest) => signalled(run, verdict, request), { description });
  }
}

function answered(
  run: ConversationRun,
  verdict: Verdict,
  request: ApproveRequest,
): ConversationStatus | Promise<ConversationStatus> {
  const decided = (issue: string | undefined): ConversationStatus => {
    if (issue !== undefined) throw handlerFailure("UsageError", issue);
    return statusOf(run.state, run.closed);
  };
  const failed = (error: unknown): never => {
    throw updateFailure(error, "UsageError");
  };
  // Of several that come at once each is validated before the first is handled.
  const sum = sumIssue(run, request);
  if (sum !== undefined) return decided(sum);
  if (isChecked(request)) {
    const asked = pinned(run, request);
    const checked = unfitIssue(run, asked).then((unfit) => unfit ?? run.decide(verdict, asked));
    return checked.then(decided).catch(failed);
  }
  try {
    return decided(run.decide(verdict, request));
  } catch (error) {
    return failed(error);
  }
}

/** A signal has no caller to tell. */
function signalled(run: ConversationRun, verdict: Verdict, request: ApproveRequest): void | Promise<void> {
  const refused = (reason: string, issue: string | undefined): void => {
    if (issue !== undefined) run.recordRefusal(verdict, reason, issue);
  };
  const decided = (asked: ApproveRequest): void => refused("not_waiting", run.decide(verdict, asked));
  const failed = (error: unknown): void => refused("failed", causeText(error));
  try {
    if (approvalIssue(run.state, verdict, request) !== undefined) return decided(request);
    const size = editedSizeIssue(request);
    if (size !== undefined && patched(SIZE_PATCH)) return refused("not_waiting", size);
    const sum = sumIssue(run, request);
    if (sum !== undefined) return refused("not_waiting", sum);
    if (!isChecked(request)) return decided(request);
    const asked = pinned(run, request);
    return unfitIssue(run, asked)
      .then((unfit) => (unfit === undefined ? decided(asked) : refused("unfit", unfit)))
      .catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function sumIssue({ state }: ConversationRun, request: ApproveRequest): string | undefined {
  const issue = editedSumIssue(state, request);
  return issue !== undefined && patched(SUM_PATCH) ? issue : undefined;
}

/** To the call that waits now: once the arguments have been checked, another turn may have one of its number or id. */
function pinned({ state }: ConversationRun, request: ApproveRequest): ApproveRequest {
  const waits = waitingCall(state, request.call);
  if (waits === undefined || state.running === null) return request;
  return { ...request, call: waits.call, turn_id: state.running.turn_id };
}

/** Only what is to be checked waits: every other decision is taken as it comes. */
function isChecked({ arguments: edited }: ApproveRequest): boolean {
  return edited !== undefined && patched(CHECK_PATCH);
}

/** Why an approver's arguments are not taken. Where no worker can tell, they are: the tool's own call checks them. */
async function unfitIssue(
  run: ConversationRun,
  { call, arguments: edited }: ApproveRequest,
): Promise<string | undefined> {
  const waits = waitingCall(run.state, call);
  if (waits === undefined || edited === undefined) return undefined;
  run.state = countEdited(run.state, edited);
  const activities = proxyActivities<ConversationActivities>(CHECK_OPTIONS);
  try {
    const { issues } = await activities.checkArguments({ name: waits.name, arguments: edited });
    return issues.length === 0 ? stoppingIssue(run.state) : unfitText(waits, issues);
  } catch {
    return undefined;
  }
}
