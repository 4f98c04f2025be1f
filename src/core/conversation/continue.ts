/** What one run of a conversation hands to the next. */
import type { RebindRequest } from "./messages.js";
import type { ConversationHead, ConversationState, Segment } from "./state.js";

/** Most rebinds by signal that wait for the next run; they come within the milliseconds in which a run ends. */
export const CARRIED_REBINDS = 8;

/**
 * The arguments of the next run: the head, the sealed segments, which are stored already, and the tail. Only between turns:
 * nothing runs. The version goes on, so that a reader whose pages come from two runs sees what has changed between them.
 */
export function continuedArguments(
  { head, segments, tail, version }: ConversationState,
  rebinds: readonly RebindRequest[],
): [head: ConversationHead, ...segments: Segment[]] {
  const { rebinds: _, ...rest } = head;
  return [{ ...rest, version, ...(rebinds.length === 0 ? {} : { rebinds }) }, ...segments, tail];
}

/** Whoever sends a message in the moment in which a run ends. Clients send it again by themselves. */
export function movingText(conversationId: string): string {
  return `Conversation ${conversationId} is moving to its next run: send this again in a moment, with the same turn id.`;
}
