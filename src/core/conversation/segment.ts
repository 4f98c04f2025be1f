/** Cutting a history into segments: whole turns, each segment immutable, so that total storage stays linear. */
import { jsonByteLength } from "../json-byte-length.js";
import type { ConversationState, Segment } from "./state.js";
import { appended, EMPTY_SEGMENT, LIST_NAMES } from "./state.js";

/** A tail is sealed once it is this large (CNV-24). */
export const SEAL_BYTES: number = 192 * 1024;
/** A tail that a turn would make larger than this is sealed before it; so a turn above it is a segment of its own. */
export const SEGMENT_BYTES: number = 256 * 1024;
/** A tail of this size is worth a segment of its own where a run ends: the next one would store it again as it grows. */
export const LEAST_SEGMENT_BYTES: number = 16 * 1024;

/** Bytes of what would be added, as JSON. */
export function segmentBytes(segment: Partial<Segment>): number {
  return LIST_NAMES.reduce(
    (sum, name) => sum + (segment[name]?.length ? jsonByteLength(segment[name]) : 0),
    0,
  );
}

/** The state with one ended turn more at its end; what it makes too large is sealed. */
export function grown(state: ConversationState, more: Partial<Segment>): ConversationState {
  const added = segmentBytes(more);
  const overfull = state.tailBytes > 0 && state.tailBytes + added > SEGMENT_BYTES;
  const { segments, tail, tailBytes } = overfull ? sealed(state) : state;
  const next = { ...state, segments, tail: appended(tail, more), tailBytes: tailBytes + added };
  return { ...next, ...(next.tailBytes < SEAL_BYTES ? {} : sealed(next)), version: state.version + 1 };
}

/** What the next run begins with (CNV-300). */
export function atRunEnd(state: ConversationState): ConversationState {
  // Counted anew: `tailBytes` is a little too high, and what is sealed must be large enough to be marked.
  return segmentBytes(state.tail) < LEAST_SEGMENT_BYTES ? state : { ...state, ...sealed(state) };
}

function sealed({
  segments,
  tail,
}: ConversationState): Pick<ConversationState, "segments" | "tail" | "tailBytes"> {
  return { segments: [...segments, tail], tail: EMPTY_SEGMENT, tailBytes: 0 };
}
