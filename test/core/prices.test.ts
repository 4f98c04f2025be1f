import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { addToTotals, EMPTY_TOTALS } from "../../src/core/envelope/accounting.js";
import type { TurnAccount, Usage } from "../../src/core/envelope/envelope.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { addCost, costOf, leastCost, type Prices, priceOf } from "../../src/core/prices.js";

const usageOf = (change: Partial<Usage>): Usage => ({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  ...change,
});

describe("prices", () => {
  const table: Prices = {
    "claude-*": { input: 9, output: 9 },
    "claude-haiku-*": { input: 1, output: 5 },
    "claude-haiku-4-5": { input: 2, output: 6 },
    "compatible:*": { input: 0, output: 0 },
    "openai:gpt-6-*": { input: 3, output: 7 },
  };

  it.each([
    ["claude-haiku-4-5", 2],
    ["anthropic:claude-haiku-4-5", 2],
    ["claude-haiku-4-6", 1],
    ["claude-haiku-4-5-20261001", 1],
    ["claude-opus-5-5", 9],
    ["gpt-6-luna", 3],
    ["compatible:claude-haiku-4-5", 2],
    ["compatible:llama", 0],
    ["gemini-3.5-flash-lite", undefined],
  ])("BUD-11 of %s: its own name before the longest beginning of it", (model, input) => {
    expect(priceOf([table], model)?.input).toBe(input);
  });

  it("BUD-11 of the agent come before those of the worker", () => {
    const own = { "claude-*": { input: 4, output: 4 } };
    expect(priceOf([own, table], "claude-haiku-4-5")?.input).toBe(4);
    expect(priceOf([own, table], "gpt-6-luna")?.input).toBe(3);
  });

  it("BUD-11 of cached input hold for the part of the input that they are of; without one it costs as other input", () => {
    const usage = usageOf({
      input_tokens: 1_000_000,
      cache_read_tokens: 600_000,
      cache_write_tokens: 300_000,
      output_tokens: 500_000,
      reasoning_tokens: 400_000,
    });
    expect(costOf(usage, { input: 1, output: 5 })).toBe(3.5);
    expect(costOf(usage, { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 })).toBe(3.035);
    expect(leastCost(1_000_000, { input: 1, output: 5, cache_read: 0.1 })).toBe(0.1);
  });

  it("BUD-11 never make cached input dearer than at its own price, nor a call cheaper than its least", () => {
    const tokens = fc.nat({ max: 1_000_000 });
    const amount = fc.float({ min: 0, max: 100, noNaN: true });
    const price = fc.record({ input: amount, output: amount, cache_read: amount, cache_write: amount });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, price, (plain, read, written, output, per) => {
        const input_tokens = plain + read + written;
        const usage = usageOf({
          input_tokens,
          cache_read_tokens: read,
          cache_write_tokens: written,
          output_tokens: output,
        });
        const cost = costOf(usage, per);
        const dearest = Math.max(per.input, per.cache_read, per.cache_write);
        expect(cost).toBeLessThanOrEqual(((input_tokens * dearest + output * per.output) / 1e6) * 1.000001);
        expect(cost).toBeGreaterThanOrEqual(leastCost(input_tokens, per) * 0.999999);
      }),
    );
  });

  it("BUD-12 add up to what one would write; what is not known adds nothing, and nothing known is no cost", () => {
    const account: TurnAccount = {
      turn_id: "t",
      state: "committed",
      provider: "anthropic",
      model: "claude-haiku-4-5",
      started_at: "",
      finished_at: "",
      provider_calls: 1,
      tool_calls: 0,
      usage: usageOf({}),
      raw_usage: [],
      finish_reason: null,
    };
    expect(addToTotals(EMPTY_TOTALS, account)).not.toHaveProperty("cost");
    const costs = [0.1, undefined, 0.2];
    const priced = costs.map((cost) => (cost === undefined ? account : { ...account, cost }));
    expect(priced.reduce(addToTotals, EMPTY_TOTALS).cost).toBe(0.3);
    expect(addCost(undefined, undefined)).toBeUndefined();
  });

  it("BUD-17 of any table, also one from before prices had a most, and of any sum are numbers that JSON has", () => {
    const usage = usageOf({ input_tokens: 9e15, output_tokens: 9e15 });
    expect(costOf(usage, { input: 1e9, output: 1e9 })).toBe(1.8e19);
    const most = costOf(usage, { input: 1e308, output: 1e308 });
    expect(most).toBe(1e30);
    expect(leastCost(9e15, { input: 1e308, output: 1 })).toBe(1e30);
    expect(addCost(most, most)).toBe(1e30);
    expect(addCost(Number.MAX_VALUE, Number.MAX_VALUE)).toBe(1e30);
  });

  it.each([
    [
      { "claude-*": { input: 1 } },
      "prices.claude-*.output: expected a number from 0 to 1,000,000,000, found nothing",
    ],
    [
      { "claude-*": { input: -1, output: 1 } },
      "prices.claude-*.input: expected a number from 0 to 1,000,000,000, found -1",
    ],
    [
      { "claude-*": { input: 1, output: 1, cached: 1 } },
      'prices.claude-*: expected input, output, cache_read, cache_write only, found "cached"',
    ],
    [
      { "*-haiku": { input: 1, output: 1 } },
      'prices: expected a model\'s name, or the beginning of one with a star at its end, found "*-haiku"',
    ],
    [
      { "claude-*": { input: 1, output: 1e308 } },
      "prices.claude-*.output: expected a number from 0 to 1,000,000,000, found 1e+308",
    ],
    [[], "prices: expected an object, found a list"],
  ])("BUD-13 %j are refused in one line", (prices, message) => {
    const options = { model: "claude-haiku-4-5", prices } as ConstructorParameters<typeof Agent>[0];
    expect(() => new Agent(options)).toThrow(new UsageError(`Agent: ${message}.`));
  });
});
