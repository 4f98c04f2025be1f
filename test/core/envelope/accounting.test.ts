import { describe, expect, it } from "vitest";
import { addToTotals, EMPTY_TOTALS, totalsOf } from "../../../src/core/envelope/accounting.js";
import { sampleAccount } from "../../support/envelope-samples.js";

describe("accounting", () => {
  it("ENV-22 counts committed turns, and calls and usage of every turn", () => {
    const committed = sampleAccount("openai", "turn-1", { provider_calls: 2, tool_calls: 1 });
    const interrupted = sampleAccount("openai", "turn-2", { state: "interrupted", provider_calls: 6 });
    expect(totalsOf([committed, interrupted])).toEqual({
      turns: 1,
      provider_calls: 8,
      tool_calls: 1,
      usage: {
        input_tokens: 20,
        output_tokens: 10,
        cache_read_tokens: 4,
        cache_write_tokens: 2,
        reasoning_tokens: 6,
      },
    });
  });

  it("ENV-22 adds one turn at a time to the same sum", () => {
    const turns = [sampleAccount("google", "a"), sampleAccount("google", "b", { state: "interrupted" })];
    expect(turns.reduce(addToTotals, EMPTY_TOTALS)).toEqual(totalsOf(turns));
    expect(EMPTY_TOTALS.turns).toBe(0);
  });
});
