import { describe, expect, it } from "vitest";
import { refusalsOf, withFewLocal } from "../../../src/activities/tools/bound-calls.js";

const call = (bytes: number) => ({ id: "c", name: "look", arguments: { text: "x".repeat(bytes) } });
const KIB = 1024;

/** How many of so many calls are run. */
const run = (count: number, bytes: number): number =>
  refusalsOf(Array.from({ length: count }, () => call(bytes))).filter((refusal) => refusal === undefined)
    .length;

describe("the calls of one answer", () => {
  it("ACT-370 are run up to 128, and the model is told of each other one in one line", () => {
    expect(run(128, 1)).toBe(128);
    const refusals = refusalsOf(Array.from({ length: 3_000 }, () => call(1)));
    expect(refusals.findIndex((refusal) => refusal !== undefined)).toBe(128);
    expect(refusals.at(-1)).toMatch(/^Error: This call was not run: .* at most 128 [^\n]*$/);
    expect(refusals).toHaveLength(3_000);
  });

  it("ACT-370 are run up to 1 MiB together, each that still fits, and the first in any case", () => {
    expect(run(60, 100 * KIB)).toBe(10);
    expect(run(1, 5_000 * KIB)).toBe(1);
    expect(run(2, 5_000 * KIB)).toBe(1);
    const refusals = refusalsOf([call(600 * KIB), call(600 * KIB), call(300 * KIB)]);
    expect(refusals).toEqual([undefined, expect.stringContaining("at most 1048576 bytes"), undefined]);
  });

  it("ACT-370 count with their ids and names", () => {
    const long = { ...call(1), id: "i".repeat(400 * KIB), name: "n".repeat(200 * KIB) };
    expect(refusalsOf([long, long])).toEqual([undefined, expect.any(String)]);
  });

  it("ACT-371 are no local ones from the seventeenth local call on", () => {
    const local = { ...call(1), timeout_ms: 2_000, local: true as const };
    const bounded = withFewLocal([call(1), ...Array.from({ length: 18 }, () => local)]);
    expect(bounded.slice(0, 17)).toEqual([call(1), ...Array.from({ length: 16 }, () => local)]);
    expect(bounded.slice(17)).toEqual([
      { ...call(1), timeout_ms: 2_000 },
      { ...call(1), timeout_ms: 2_000 },
    ]);
  });
});
