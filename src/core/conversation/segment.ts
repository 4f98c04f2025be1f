/** Cutting a history into segments: whole turns, each segment immutable, so that total storage stays linear. */
import { jsonByteLength } from "../json-byte-length.js";
import type { ConversationState, Segment } from "./state.js";
import { appended, EMPTY_SEGMENT, LIST_NAMES } from "./state.js";

/** A tail is sealed once it is this large; a turn above it is a segment of its own (design rule 6). */
export const SEAL_BYTES: number = 192 * 1024;

/** Bytes of what would be added, as JSON. */
export function segmentBytes(segment: Partial<Segment>): number {
  return LIST_NAMES.reduce(
    (sum, name) => sum + (segment[name]?.length ? jsonByteLength(segment[name]) : 0),
    0,
  );
}

/** The state with one ended turn more at its end; the tail is sealed once it is large enough. */
export function grown(state: ConversationState, more: Partial<Segment>): ConversationState {
  const tail = appended(state.tail, more);
  const tailBytes = state.tailBytes + segmentBytes(more);
  const version = state.version + 1;
  if (tailBytes < SEAL_BYTES) return { ...state, tail, tailBytes, version };
  return { ...state, segments: [...state.segments, tail], tail: EMPTY_SEGMENT, tailBytes: 0, version };
}
