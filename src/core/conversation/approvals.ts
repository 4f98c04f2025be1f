/** Tool calls that wait for somebody's word: asking, deciding, and what they show meanwhile. */
import { checkStructure } from "../envelope/structure.js";
import { cleanText } from "../errors/clean-text.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { jsonByteLength } from "../json-byte-length.js";
import type { PlannedCall } from "./activity-contract.js";
import type { ApproveRequest, PendingApproval } from "./messages.js";
import type { Approval, ApprovalDecision, ConversationState, RunningTurn } from "./state.js";
import { firstOfRound } from "./tool-rounds.js";

const ARGUMENTS_SHOWN = 2_000;
const REASON_CHARACTERS = 500;
const SHOWN = 200;
const KEYS: readonly string[] = ["call", "turn_id", "reason"];
/** Most of the arguments that an approver gives, as JSON: they are repeated in the result. */
const EDITED_BYTES = 64 * 1024;
/** Most of them in one round: each decision brings its activities, and so may one workflow task bring all of them. */
const ROUND_EDITED_BYTES = 512 * 1024;
/** What the least of them counts as, since each is checked by an activity. */
const LEAST_EDITED_BYTES = 1024;
const UNFIT_BYTES = 1024;

export type Verdict = "approve" | "deny";

/** The state with a call that waits, if it does not already; `index` counts over all rounds of the turn, from 0. */
export function askApproval(
  state: ConversationState,
  index: number,
  { id, name, arguments: given }: PlannedCall,
  now: string,
): ConversationState {
  if (approvalOf(state, index) !== undefined) return state;
  const asked: Approval = { call: index + 1, id, name, arguments: given, asked_at: now, decision: null };
  return withApprovals(state, (approvals) => [...approvals, asked]);
}

/** The decision on a call of the running turn, once there is one. */
export function decisionOn({ running }: ConversationState, index: number): ApprovalDecision | undefined {
  return approvalOf({ running }, index)?.decision ?? undefined;
}

export function approvalOf(
  { running }: Pick<ConversationState, "running">,
  index: number,
): Approval | undefined {
  return running?.approvals.find(({ call }) => call === index + 1);
}

/**
 * Whether nothing of a turn is left but to wait for somebody's word: each call of its round has been answered or waits, and one
 * waits. No activity runs then.
 */
export function isParked({ running }: ConversationState): boolean {
  if (running?.round === undefined || running.cancelled !== null) return false;
  const first = firstOfRound(running);
  const open = running.round.results.flatMap((result, position) =>
    result === null ? [first + position] : [],
  );
  return open.length > 0 && open.every((index) => approvalOf({ running }, index)?.decision === null);
}

/** Why a decision cannot be taken, in one line; undefined where it can. */
export function approvalIssue(
  state: ConversationState,
  verdict: Verdict,
  request: unknown,
): string | undefined {
  if (!isRequest(verdict, request)) return requestIssue(verdict, request);
  const { running } = state;
  const { call, turn_id } = request;
  if (running === null || (turn_id !== undefined && turn_id !== running.turn_id))
    return `No call waits for approval${turn_id === undefined ? "" : ` in turn ${turn_id.slice(0, SHOWN)}`}: the turn does not run.`;
  const found = matching(waiting(running), call);
  if (found.length === 1) return undefined;
  const named = String(call).slice(0, SHOWN);
  if (found.length > 1) return `${found.length} calls with the id ${named} wait: name one by its number.`;
  const [decided] = matching(running.approvals, call);
  if (decided?.decision != null)
    return `Call ${named} waits no longer: it was ${decided.decision.approved ? "approved" : "denied"} at ${decided.decision.at}.`;
  const numbers = waiting(running).map((one) => one.call);
  const which = numbers.length === 0 ? "none does" : `those that do are ${numbers.join(", ")}`;
  return `No call ${named} waits for approval: ${which}.`;
}

/** Why a turn that has been told to stop takes no decision, in one line; undefined where it has not. */
export function stoppingIssue({ running }: ConversationState): string | undefined {
  if (running === null || running.cancelled === null) return undefined;
  return `No call of turn ${running.turn_id.slice(0, SHOWN)} is run or waits any more: the turn is being stopped.`;
}

/** What is wrong with the shape of a request, in one line; undefined where nothing is. */
export function requestIssue(verdict: Verdict, request: unknown): string | undefined {
  const takes = `${verdict} takes {call, turn_id?, reason?${verdict === "approve" ? ", arguments?" : ""}}: `;
  if (!isJsonObject(request)) return `${takes}call is the number of the call, or its id.`;
  const { call, turn_id, reason, arguments: edited } = request;
  const known = verdict === "approve" ? [...KEYS, "arguments"] : KEYS;
  const unknown = Object.keys(request).find((key) => !known.includes(key));
  if (unknown !== undefined) return `${takes}not ${JSON.stringify(unknown.slice(0, SHOWN))}.`;
  if (!Number.isSafeInteger(call) && (typeof call !== "string" || call === ""))
    return `${takes}call is the number of the call, or its id.`;
  if (turn_id !== undefined && typeof turn_id !== "string") return `${takes}turn_id is a text.`;
  if (reason !== undefined && typeof reason !== "string") return `${takes}reason is a text.`;
  if (edited === undefined) return undefined;
  if (!isJsonObject(edited)) return `${takes}arguments is a JSON object.`;
  const issue = checkStructure({ arguments: edited });
  if (issue === undefined) return undefined;
  return `${takes}${issue.path.slice(0, SHOWN)}: expected ${issue.expected}, found ${issue.found.slice(0, SHOWN)}.`;
}

/** Why arguments of this size are not taken, in one line. For arguments that are plain JSON. */
export function editedSizeIssue(request: { readonly arguments?: JsonObject }): string | undefined {
  const bytes = request.arguments === undefined ? 0 : jsonByteLength(request.arguments);
  if (bytes <= EDITED_BYTES) return undefined;
  return `arguments are ${bytes} bytes as JSON: an approver may give at most ${EDITED_BYTES}, or deny the call and say why.`;
}

/** Why a round takes no more arguments of approvers than it has been given, in one line. For a request without any other issue. */
export function editedSumIssue(
  { running }: ConversationState,
  request: { readonly arguments?: JsonObject },
): string | undefined {
  if (request.arguments === undefined) return undefined;
  const bytes = (running?.edited_bytes ?? 0) + editedBytes(request.arguments);
  if (bytes <= ROUND_EDITED_BYTES) return undefined;
  return `arguments are with those given before ${bytes} bytes as JSON: approvers may give at most ${ROUND_EDITED_BYTES} for the calls of one answer; approve without arguments, or deny the call and say why.`;
}

/** The state in which arguments count that are about to be checked: whether they fit or not, an activity takes them. */
export function countEdited(state: ConversationState, edited: JsonObject): ConversationState {
  const { running } = state;
  if (running === null) return state;
  const edited_bytes = (running.edited_bytes ?? 0) + editedBytes(edited);
  return { ...state, running: { ...running, edited_bytes } };
}

function editedBytes(edited: JsonObject): number {
  return Math.max(LEAST_EDITED_BYTES, jsonByteLength(edited));
}

/** The call that a request without issue is about. */
export function waitingCall({ running }: ConversationState, call: number | string): Approval | undefined {
  return running === null ? undefined : matching(waiting(running), call)[0];
}

/** Why arguments that do not fit their tool are not taken, in one line. */
export function unfitText({ call, name }: Approval, issues: readonly string[]): string {
  const said = cleanText(issues.join("; "), UNFIT_BYTES);
  return `arguments do not fit ${name}: ${said}. Call ${call} still waits: give it others, or deny it.`;
}

/** The state with the decision, whose request has been found without issue. */
export function decide(
  state: ConversationState,
  verdict: Verdict,
  request: ApproveRequest,
  now: string,
): ConversationState {
  const found = waitingCall(state, request.call);
  const decision: ApprovalDecision = {
    approved: verdict === "approve",
    at: now,
    ...(request.reason === undefined
      ? {}
      : { reason: request.reason.slice(0, REASON_CHARACTERS).toWellFormed() }),
    ...(request.arguments === undefined ? {} : { arguments: request.arguments }),
  };
  return withApprovals(state, (approvals) =>
    approvals.map((approval) => (approval === found ? { ...approval, decision } : approval)),
  );
}

export function pendingApprovals(running: RunningTurn | null): readonly PendingApproval[] {
  if (running === null) return [];
  return waiting(running).map(({ call, id, name, arguments: given, asked_at }) => ({
    turn_id: running.turn_id,
    call,
    id,
    name,
    arguments: JSON.stringify(given).slice(0, ARGUMENTS_SHOWN).toWellFormed(),
    asked_at,
  }));
}

function waiting({ approvals }: RunningTurn): readonly Approval[] {
  return approvals.filter(({ decision }) => decision === null);
}

/** By number, which a shell hands over as a text; else by id. */
function matching(approvals: readonly Approval[], call: number | string): readonly Approval[] {
  const byId = approvals.filter(({ id }) => id === call);
  return byId.length > 0 ? byId : approvals.filter((one) => String(one.call) === String(call));
}

function isRequest(verdict: Verdict, request: unknown): request is ApproveRequest {
  return requestIssue(verdict, request) === undefined;
}

function withApprovals(
  state: ConversationState,
  change: (approvals: readonly Approval[]) => readonly Approval[],
): ConversationState {
  const { running } = state;
  if (running === null) return state;
  const approvals = change(running.approvals);
  return { ...state, running: { ...running, approvals }, version: state.version + 1 };
}
