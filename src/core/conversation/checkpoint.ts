/** What a conversation knows of its checkpoint file: after which turn it was written, and why it was not. */
import type { ConversationState } from "./state.js";
import { withHead } from "./state.js";

/** How the writing that was due has ended. */
export type CheckpointOutcome = { readonly run_count: number } | { readonly error: string };

export function checkpointEnded(state: ConversationState, outcome: CheckpointOutcome): ConversationState {
  const { checkpoint } = state.head;
  const turn_id = state.checkpointing;
  if (checkpoint === null || turn_id === null) return state;
  const known =
    "error" in outcome
      ? { ...checkpoint, error: outcome.error }
      : { path: checkpoint.path, run_count: outcome.run_count, turn_id, error: null };
  return { ...withHead(state, { checkpoint: known }), checkpointing: null };
}

/** Whether the file holds an ended turn: null while it is being written, undefined where no checkpoint is set. */
export function isCheckpointed(state: ConversationState, turnId: string): boolean | null | undefined {
  const { checkpoint } = state.head;
  if (checkpoint === null) return undefined;
  if (state.checkpointing === turnId) return null;
  if (checkpoint.turn_id === null) return false;
  return endedNoLaterThan(state, turnId, checkpoint.turn_id);
}

/** Every file holds all turns that had ended when it was written. */
function endedNoLaterThan({ segments, tail }: ConversationState, turnId: string, last: string): boolean {
  for (const { turn_index } of [...segments, tail]) {
    for (const { turn_id } of turn_index) {
      if (turn_id === turnId) return true;
      if (turn_id === last) return false;
    }
  }
  return false;
}
