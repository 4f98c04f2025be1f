import { describe, expect, it } from "vitest";
import { AFTER_ATTEMPT } from "../../../src/activities/turn-frames.js";
import { ROUND_SEQ } from "../../../src/core/conversation/frame.js";
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

  it("STR-44 is nothing where another round goes on numbering, or several activities tell at once", () => {
    expect(missedBefore(at(1, 4), at(1, ROUND_SEQ))).toBe(0);
    expect(missedBefore(at(1, 4), at(1, ROUND_SEQ + 3))).toBe(3);
    expect(missedBefore(at(1, ROUND_SEQ + 3), at(1, ROUND_SEQ + 5))).toBe(1);
    const [result, another] = [ROUND_SEQ / 2 + 8_000_000, ROUND_SEQ / 2 + 8_000_700];
    expect(missedBefore(at(1, 4), at(1, result))).toBe(0);
    expect(missedBefore(at(1, result), at(1, another))).toBe(0);
    expect(missedBefore(at(1, another), at(1, ROUND_SEQ))).toBe(0);
  });

  it("STR-44 is nothing before an end that stands behind all of an attempt", () => {
    expect(missedBefore(at(1, 4), at(1, AFTER_ATTEMPT))).toBe(0);
    expect(missedBefore(undefined, at(2, AFTER_ATTEMPT))).toBe(0);
  });

  it("STR-44 is told by a frame of its own, which stands where the last missing one stood", () => {
    expect(withMissed(at(1, 1), text("t", 1, 2))).toEqual([text("t", 1, 2)]);
    expect(withMissed(at(1, 1), end("t", 1, 5))).toEqual([
      { turn: "t", attempt: 1, seq: 4, type: "missed", frames: 3 },
      end("t", 1, 5),
    ]);
  });
});
