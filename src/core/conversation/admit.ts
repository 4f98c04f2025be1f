/** Accepting a message: the first step of a turn, and the only one that a caller waits for. */
import type { RefusalReason } from "../errors/errors.js";
import { isJsonObject } from "../json.js";
import { isMarker } from "../media/marker.js";
import type { OnBusy, Receipt, Submission } from "./messages.js";
import type { ConversationState, PendingTurn } from "./state.js";
import { findTurn, withHead } from "./state.js";

/** Most turns that may wait in one conversation. */
export const QUEUE_LIMIT = 1_000;
const ON_BUSY: readonly OnBusy[] = ["queue", "reject", "interrupt"];
const TURN_ID_LIMIT = 200;

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
  if (!isJsonObject(value)) return "submit_turn takes one object: {message, turn_id?, files?, on_busy?}.";
  if (typeof value.message !== "string") return "submit_turn: `message` must be a string.";
  const files = value.files;
  const hasFiles = Array.isArray(files) && files.length > 0;
  if (value.message.trim() === "" && !hasFiles)
    return "The message is empty: write a question or attach a file.";
  const turnId = value.turn_id;
  if (
    turnId !== undefined &&
    (typeof turnId !== "string" || turnId === "" || turnId.length > TURN_ID_LIMIT)
  ) {
    return `submit_turn: \`turn_id\` must be a string of 1 to ${TURN_ID_LIMIT} characters.`;
  }
  const onBusy = value.on_busy;
  if (onBusy !== undefined && !ON_BUSY.includes(onBusy as OnBusy)) {
    return `submit_turn: \`on_busy\` must be one of ${ON_BUSY.join(", ")}.`;
  }
  if (value.resend_of !== undefined && typeof value.resend_of !== "string")
    return "submit_turn: `resend_of` must be a turn id.";
  if (files === undefined) return undefined;
  if (!Array.isArray(files)) return "submit_turn: `files` must be a list of markers.";
  const bad = files.findIndex((file) => !isFileMarker(file));
  return bad < 0
    ? undefined
    : `submit_turn: files[${bad}] must be {marker: "$media:<sha256>.<ext>", mime_type, size_bytes, name}.`;
}

function isFileMarker(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.marker === "string" &&
    isMarker(value.marker) &&
    typeof value.mime_type === "string" &&
    typeof value.name === "string" &&
    typeof value.size_bytes === "number"
  );
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
    ...(submission.files === undefined || submission.files.length === 0 ? {} : { files: submission.files }),
    ...(submission.resend_of === undefined ? {} : { resend_of: submission.resend_of }),
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
