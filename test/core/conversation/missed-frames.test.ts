import { describe, expect, it } from "vitest";
import { SEQ_BLOCK } from "../../../src/core/conversation/frame.js";
import { missedBefore, withMissed } from "../../../src/core/conversation/missed-frames.js";
import { end, text } from "../../streaming/frames.js";

const at = (attempt: number, seq: number) => ({ attempt, seq });

describe("what a reader missed", () => {
  it("STR-44 is counted from the numbers of the frames it got", () => {
    expect(missedBefore(at(1, 4), at(1, 5))).toBe(0);
    expect(missedBefore(at(1, 4), at(1, 9))).toBe(4);
    expect(missedBefore(undefined, at(1, 0))).toBe(0);
    expect(missedBefore(undefined, at(1, 7))).toBe(7);
  });

  it("STR-44 is not what a replaced attempt would have sent, but what the new one has", () => {
    expect(missedBefore(at(1, 4), at(2, 0))).toBe(0);
    expect(missedBefore(at(1, 4), at(3, 2))).toBe(2);
    expect(missedBefore(at(2, 9), at(1, 30))).toBe(0);
  });

  it("STR-44 is nothing where another activity goes on numbering at the next block", () => {
    expect(missedBefore(at(1, 4), at(1, SEQ_BLOCK))).toBe(0);
    expect(missedBefore(at(1, 4), at(1, SEQ_BLOCK + 3))).toBe(3);
    expect(missedBefore(at(1, SEQ_BLOCK + 3), at(1, SEQ_BLOCK + 5))).toBe(1);
    expect(missedBefore(at(1, 4), at(1, 1_000 * SEQ_BLOCK))).toBe(0);
  });

  it("STR-44 is told by a frame of its own, which stands where the last missing one stood", () => {
    expect(withMissed(at(1, 1), text("t", 1, 2))).toEqual([text("t", 1, 2)]);
    expect(withMissed(at(1, 1), end("t", 1, 5))).toEqual([
      { turn: "t", attempt: 1, seq: 4, type: "missed", frames: 3 },
      end("t", 1, 5),
    ]);
  });
});
