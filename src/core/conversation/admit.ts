/** Accepting a message: the first step of a turn, and the only one that a caller waits for. */
import { checkLimits } from "../budget.js";
import { checkFileMarker } from "../envelope/check-media.js";
import type { FileMarker } from "../envelope/envelope.js";
import type { RefusalReason } from "../errors/errors.js";
import { isJsonObject } from "../json.js";
import { outputSchemaIssue } from "../output-schema.js";
import type { OnBusy, Receipt, ReplyAddress, Submission } from "./messages.js";
import type { ConversationState, PendingTurn } from "./state.js";
import { findTurn, withHead } from "./state.js";

/** Most turns that may wait in one conversation. */
export const QUEUE_LIMIT = 1_000;
const ON_BUSY: readonly OnBusy[] = ["queue", "reject", "interrupt"];
const TURN_ID_LIMIT = 200;
/** Most files of one message: all of them travel with it. */
export const FILES_LIMIT: number = 1_000;
/** Most characters of a file's name. */
export const NAME_LIMIT = 500;
/** As Temporal has it. */
const WORKFLOW_ID_LIMIT = 1_000;

export interface Refused {
  readonly refused: RefusalReason;
  readonly error: string;
}

export interface Admitted {
  readonly state: ConversationState;
  readonly receipt: Receipt;
  /** The running turn is to be cancelled so that this one can run. */
  readonly interrupts: boolean;
}

export function isRefused(value: object): value is Refused {
  return "refused" in value;
}

/** What is wrong with the shape of a submission, in one line; undefined where nothing is. */
export function submissionIssue(value: unknown): string | undefined {
  if (!isJsonObject(value))
    return "submit_turn takes one object: {message, turn_id?, files?, on_busy?, output_schema?}.";
  const { message, files, on_busy: onBusy } = value;
  if (typeof message !== "string") return "submit_turn: `message` must be a string.";
  if (message.trim() === "" && !(Array.isArray(files) && files.length > 0))
    return "The message is empty: write a question or attach a file.";
  for (const key of ["turn_id", "resend_of"] as const) {
    if (value[key] !== undefined && !isTurnId(value[key]))
      return `submit_turn: \`${key}\` must be a string of 1 to ${TURN_ID_LIMIT} characters.`;
  }
  if (onBusy !== undefined && !ON_BUSY.includes(onBusy as OnBusy))
    return `submit_turn: \`on_busy\` must be one of ${ON_BUSY.join(", ")}.`;
  if (value.reply_to !== undefined && !isReplyAddress(value.reply_to))
    return `submit_turn: \`reply_to\` must be {workflow_id}, of 1 to ${WORKFLOW_ID_LIMIT} characters.`;
  if (value.output_schema !== undefined) {
    const issue = outputSchemaIssue(value.output_schema);
    if (issue !== undefined) return `submit_turn: \`output_schema\`: ${issue}`;
  }
  return budgetIssue(value.budget) ?? (files === undefined ? undefined : filesIssue(files));
}

function budgetIssue(budget: unknown): string | undefined {
  const [issue] = budget === undefined ? [] : checkLimits(budget, "budget");
  return issue && `submit_turn: \`${issue.path}\`: expected ${issue.expected}, found ${issue.found}.`;
}

export function isReplyAddress(value: unknown): value is ReplyAddress {
  if (!isJsonObject(value)) return false;
  const { workflow_id: id } = value;
  return typeof id === "string" && id !== "" && id.length <= WORKFLOW_ID_LIMIT;
}

function isTurnId(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= TURN_ID_LIMIT;
}

function filesIssue(files: unknown): string | undefined {
  if (!Array.isArray(files) || files.length > FILES_LIMIT)
    return `submit_turn: \`files\` must be a list of at most ${FILES_LIMIT} markers.`;
  const bad = files.findIndex((file) => !isFileMarker(file));
  return bad < 0
    ? undefined
    : `submit_turn: files[${bad}] must be {marker: "$media:<sha256>.<ext>", mime_type, size_bytes, name}.`;
}

/** As an envelope takes it: a marker that slipped through would make every later export unreadable. */
function isFileMarker(value: unknown): boolean {
  if (!isJsonObject(value) || checkFileMarker(value, "").length > 0) return false;
  return [value.name, value.mime_type].every((text) => String(text).length <= NAME_LIMIT);
}

/** What else came with a marker goes no further: it would stand in the records of the conversation for ever. */
function knownFields({ marker, mime_type, size_bytes, name, json_bytes }: FileMarker): FileMarker {
  return { marker, mime_type, size_bytes, name, ...(json_bytes === undefined ? {} : { json_bytes }) };
}

/** A receipt for a turn that is known already: submitted twice, it runs once. */
export function knownReceipt(state: ConversationState, turnId: string): Receipt | undefined {
  if (state.running?.turn_id === turnId) return { turn_id: turnId, position: 0, state: "running" };
  const waiting = state.head.queue.findIndex((turn) => turn.turn_id === turnId);
  if (waiting >= 0) return { turn_id: turnId, position: waitingPosition(state, waiting), state: "queued" };
  const ended = findTurn(state, turnId);
  return ended === undefined ? undefined : { turn_id: turnId, position: 0, state: ended.state };
}

function waitingPosition(state: ConversationState, index: number): number {
  return index + (state.running === null ? 0 : 1);
}

/** Accepts a submission whose shape has been checked, or says why not. `turnId` stands in where the caller gave none. */
export function admit(
  state: ConversationState,
  submission: Submission,
  context: { readonly now: string; readonly turnId: string },
): Admitted | Refused {
  const known = knownReceipt(state, context.turnId);
  if (known !== undefined) return { state, receipt: known, interrupts: false };
  if (state.head.closing) {
    return {
      refused: "closed",
      error: `Conversation ${state.head.conversation_id} is closed: start another, or import its envelope.`,
    };
  }
  const onBusy = submission.on_busy ?? "queue";
  const busy = state.running !== null || state.head.queue.length > 0;
  if (busy && onBusy === "reject") {
    return {
      refused: "busy",
      error: `Conversation ${state.head.conversation_id} is busy: wait for its running turn, or let this one queue.`,
    };
  }
  if (state.head.queue.length >= QUEUE_LIMIT) {
    return {
      refused: "busy",
      error: `${QUEUE_LIMIT} turns wait already in conversation ${state.head.conversation_id}: wait for some to end.`,
    };
  }
  const turn: PendingTurn = {
    turn_id: context.turnId,
    message: submission.message,
    ...(submission.files?.length ? { files: submission.files.map(knownFields) } : {}),
    ...(submission.resend_of === undefined ? {} : { resend_of: submission.resend_of }),
    ...(submission.output_schema === undefined ? {} : { output_schema: submission.output_schema }),
    ...(submission.reply_to === undefined
      ? {}
      : { reply_to: { workflow_id: submission.reply_to.workflow_id } }),
    ...(submission.budget === undefined ? {} : { budget: submission.budget }),
    accepted_at: context.now,
  };
  const interrupts = onBusy === "interrupt" && state.running !== null;
  const queue = onBusy === "interrupt" ? [turn, ...state.head.queue] : [...state.head.queue, turn];
  const position = waitingPosition(state, onBusy === "interrupt" ? 0 : queue.length - 1);
  return {
    state: withHead(state, { queue }),
    receipt: { turn_id: turn.turn_id, position, state: "queued" },
    interrupts,
  };
}
