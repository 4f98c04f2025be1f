import { describe, expect, it } from "vitest";
import { HEAVY_HISTORY_BYTES } from "../../src/activities/heavy-bytes.js";
import { historyWeight, jsonWeight } from "../../src/activities/json-weight.js";

describe("the weight of a value", () => {
  it("ACT-77 is near to the length of its JSON", () => {
    for (const value of [
      "x".repeat(10_000),
      Array.from({ length: 1_000 }, (_, index) => ({ role: "user", content: `Question ${index}` })),
      { a: { b: { c: ["d", 1, null, true, undefined] } } },
    ]) {
      const length = JSON.stringify(value).length;
      expect(jsonWeight(value)).toBeGreaterThan(length * 0.6);
      expect(jsonWeight(value)).toBeLessThan(length * 1.4);
    }
  });

  it("ACT-77 is counted only as far as its limit", () => {
    let read = 0;
    const list = Array.from({ length: 100_000 }, () => ({
      get text(): string {
        read += 1;
        return "x".repeat(100);
      },
    }));
    expect(jsonWeight(list, 1_000)).toBeGreaterThan(1_000);
    expect(read).toBeLessThan(20);
  });

  it("ACT-77 is that of each message of a history, looked at once, and as far as it is not heavy", () => {
    let read = 0;
    const messages = ["one", "two", "three"].map((role) => ({
      role,
      get content(): string {
        read += 1;
        return "x".repeat(1_000);
      },
    }));
    expect(historyWeight(messages)).toBeCloseTo(jsonWeight(messages), -2);
    read = 0;
    expect(historyWeight(messages)).toBeGreaterThan(3_000);
    expect(read).toBe(0);
    const heavy = { role: "user", content: Array.from({ length: 1_000_000 }, () => "0123456789") };
    expect(historyWeight([heavy, ...messages])).toBeLessThan(2 * HEAVY_HISTORY_BYTES);
  });
});
