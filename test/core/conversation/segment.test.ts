import { describe, expect, it } from "vitest";
import { grown, SEAL_BYTES, SEGMENT_BYTES, segmentBytes } from "../../../src/core/conversation/segment.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { EMPTY_SEGMENT, findTurn, listOf } from "../../../src/core/conversation/state.js";
import { turnView } from "../../../src/core/conversation/views.js";
import { jsonByteLength } from "../../../src/core/json-byte-length.js";
import { committed, freshConversation } from "../../support/conversation-samples.js";

const KIB = 1024;

/** A conversation whose turns have answers of these sizes, in KiB. */
function conversationOf(sizes: readonly number[]): ConversationState {
  return sizes.reduce(
    (state, size, index) => committed(state, `t${index}`, { text: "x".repeat(size * KIB) }),
    freshConversation(),
  );
}

describe("segments", () => {
  it("CNV-24 seals the tail once it has 192 KiB", () => {
    const small = conversationOf([60, 60, 60]);
    expect(small.segments).toEqual([]);
    const large = committed(small, "more", { text: "x".repeat(20 * KIB) });
    expect(large.segments).toHaveLength(1);
    expect(large.tail).toEqual(EMPTY_SEGMENT);
    expect(large.tailBytes).toBe(0);
    expect(large.segments[0]?.turn_index).toHaveLength(4);
  });

  it("CNV-25 makes a turn above 256 KiB a segment of its own, and no segment of several turns larger", () => {
    const state = conversationOf([30, 300, 30, 170, 100, 30, 255]);
    expect(state.segments.map(({ turn_index }) => turn_index.map(({ turn_id }) => turn_id))).toEqual([
      ["t0"],
      ["t1"],
      ["t2", "t3"],
      ["t4", "t5"],
      ["t6"],
    ]);
    for (const segment of [...state.segments, state.tail]) {
      if (segment.turn_index.length > 1) expect(segmentBytes(segment)).toBeLessThanOrEqual(SEGMENT_BYTES);
    }
  });

  it("CNV-26 keeps with a turn its messages, index entry and account", () => {
    const state = conversationOf([100, 100, 100, 100, 100]);
    expect(state.segments.length).toBeGreaterThan(1);
    for (const { messages, turn_index, turns } of [...state.segments, state.tail]) {
      expect(messages).toHaveLength(turn_index.length * 2);
      expect(turns.map(({ turn_id }) => turn_id)).toEqual(turn_index.map(({ turn_id }) => turn_id));
    }
  });

  it("CNV-27 reads lists and turns across segments", () => {
    const state = conversationOf([100, 100, 100, 100, 1]);
    expect(listOf(state, "messages")).toHaveLength(10);
    expect(listOf(state, "turn_index").map(({ turn_id }) => turn_id)).toEqual(["t0", "t1", "t2", "t3", "t4"]);
    for (const id of ["t0", "t2", "t4"]) expect(findTurn(state, id)?.turn_id).toBe(id);
    expect(findTurn(state, "t9")).toBeUndefined();
    expect(turnView(state, "t4").result?.output).toBe("x".repeat(KIB));
  });

  it("CNV-28 leaves sealed segments as they are, the very same objects", () => {
    const before = conversationOf([200, 100]);
    const after = committed(before, "more", { text: "x".repeat(200 * KIB) });
    expect(after.segments[0]).toBe(before.segments[0]);
    expect(after.segments.length).toBeGreaterThan(before.segments.length);
  });

  it("CNV-29 keeps the head small, however many turns there are", () => {
    const sizeOf = ({ head }: ConversationState): number => jsonByteLength(head);
    const many = conversationOf(Array.from({ length: 60 }, () => 8));
    expect(sizeOf(many)).toBeLessThan(8 * KIB);
    expect(sizeOf(many) - sizeOf(conversationOf(Array.from({ length: 30 }, () => 8)))).toBeLessThan(100);
  });

  it("CNV-30 counts the bytes of the tail as it grows", () => {
    const state = conversationOf([10, 20]);
    expect(Math.abs(state.tailBytes - segmentBytes(state.tail))).toBeLessThan(KIB);
    const before = freshConversation();
    const after = grown(before, { messages: [{ role: "user", content: "x".repeat(SEAL_BYTES) }] });
    expect(after.segments).toHaveLength(1);
    expect(after.version).toBe(before.version + 1);
  });
});
