/** Signals that were refused: nobody hears of them but by query. */
import type { ConversationState, Refusal } from "./state.js";
import { withHead } from "./state.js";

const REFUSALS_KEPT = 20;
const ERROR_CHARACTERS = 500;

/** With the newest at the end; only the last ones are kept. */
export function withRefusal(state: ConversationState, refusal: Refusal): ConversationState {
  const bounded = { ...refusal, error: refusal.error.slice(0, ERROR_CHARACTERS) };
  return withHead(state, { refusals: [...state.head.refusals.slice(1 - REFUSALS_KEPT), bounded] });
}
