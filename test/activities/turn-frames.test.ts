import { describe, expect, it } from "vitest";
import { AFTER_ATTEMPT, TurnFrames } from "../../src/activities/turn-frames.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { jsonStringByteLength } from "../../src/core/json-byte-length.js";

function framesOf(firstSeq?: number) {
  const pushed: (readonly [string, Frame])[] = [];
  const sink = {
    push: (conversation: string, frame: Frame) => void pushed.push([conversation, frame]),
    flush: async () => undefined,
  };
  return { pushed, frames: new TurnFrames(sink, { conversation: "c", turn: "t", attempt: 2 }, firstSeq) };
}

describe("TurnFrames", () => {
  it("ACT-6 numbers the frames of an attempt from 0, and those sent after it behind all of them", () => {
    const { pushed, frames } = framesOf();
    frames.push({ type: "text", text: "a" });
    frames.push({ type: "end", state: "committed", digest: "d" });
    expect(pushed).toEqual([
      ["c", { turn: "t", attempt: 2, seq: 0, type: "text", text: "a" }],
      ["c", { turn: "t", attempt: 2, seq: 1, type: "end", state: "committed", digest: "d" }],
    ]);
    const after = framesOf(AFTER_ATTEMPT);
    after.frames.push({ type: "text", text: "a" });
    expect(after.pushed[0]?.[1].seq).toBeGreaterThan(1_000_000);
  });

  it("ACT-7 remembers the beginning of the text that was streamed, and only of the text", () => {
    const { frames } = framesOf();
    frames.push({ type: "reasoning", text: "Hm." });
    frames.push({ type: "text", text: "Clause " });
    frames.push({ type: "text", text: "4\n\tsays" });
    expect(frames.partialText).toBe("Clause 4\n\tsays");
  });

  it("ACT-8 keeps at most 3,000 bytes of it as JSON, without half characters, control characters and keys", () => {
    for (const unit of ["x", '"', "\\", "\n", "語", "🙂", "x🙂", "\ud83d", "\u0001\u007f"]) {
      const { frames } = framesOf();
      for (let push = 0; push < 3_000; push++) frames.push({ type: "text", text: unit });
      const kept = frames.partialText;
      expect(jsonStringByteLength(kept), JSON.stringify(unit)).toBeLessThanOrEqual(3_002);
      expect(kept.isWellFormed()).toBe(true);
      if (unit.includes("🙂")) expect(kept).not.toContain("\ufffd");
      for (const control of ["\u0001", "\u007f"]) expect(kept).not.toContain(control);
    }
    const { frames } = framesOf();
    frames.push({ type: "text", text: "Your key sk-ant-api03-abcdefghijkl is here." });
    expect(frames.partialText).toBe("Your key [redacted] is here.");
  });
});
