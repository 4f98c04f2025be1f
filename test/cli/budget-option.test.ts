import { describe, expect, it } from "vitest";
import { budgetLines, budgetOption, limitsOption } from "../../src/cli/budget-option.js";
import { inCommandWords } from "../../src/cli/remedies.js";
import { UsageError } from "../../src/core/errors/errors.js";

describe("--budget", () => {
  it("BUD-15 is a list of limits: of one turn, or of an agent's turns and its conversation", () => {
    expect(limitsOption("tokens=2000, cost=0.05,tool_rounds=0")).toEqual({
      tokens: 2_000,
      cost: 0.05,
      tool_rounds: 0,
    });
    expect(budgetOption("turn.tokens=2000,conversation.cost=5,turn.provider_calls=3")).toEqual({
      turn: { tokens: 2_000, provider_calls: 3 },
      conversation: { cost: 5 },
    });
    expect([limitsOption(undefined), budgetOption(undefined)]).toEqual([undefined, undefined]);
  });

  it.each([
    [limitsOption, "tokens", "--budget.tokens: expected a whole number of 1 or more, found NaN"],
    [limitsOption, "tokens=many", "--budget.tokens: expected a whole number of 1 or more, found NaN"],
    [limitsOption, "", '--budget: expected tokens, provider_calls, tool_rounds, cost only, found ""'],
    [limitsOption, "turn.tokens=5", 'only, found "turn.tokens"'],
    [budgetOption, "tokens=5", '--budget: expected turn, conversation only, found "tokens"'],
    [
      budgetOption,
      "turn=5",
      '--budget.turn: expected tokens, provider_calls, tool_rounds, cost only, found ""',
    ],
    [budgetOption, "turn.cost=-1", "--budget.turn.cost: expected a number above 0, found -1"],
  ])("BUD-15 %# is refused in one line that shows how", (option, text, message) => {
    expect(() => option(text)).toThrow(UsageError);
    expect(() => option(text)).toThrow(message);
    expect(() => option(text)).toThrow(/: as in --budget \S+=\S+\.$/);
  });

  it("BUD-15 is what the remedies name", () => {
    const said = [
      "Ask for less at once, or raise the agent's budget.turn.tokens by a rebind.",
      "Raise the agent's budget.conversation.cost by a rebind.",
      "Ask for less at once, or send the message again with a larger budget.",
      "add one to the agent's `prices` or the worker's (HOLDFAST_PRICES), or leave the cost out of the budget.",
    ].map(inCommandWords);
    expect(said.map((line) => line.replaceAll("npx holdfast", "holdfast"))).toEqual([
      "Ask for less at once, or raise it with `holdfast rebind ID MODEL --budget turn.tokens=…`.",
      "Raise it with `holdfast rebind ID MODEL --budget conversation.cost=…`.",
      "Ask for less at once, or send it again with `holdfast resend ID --budget …`, a larger one.",
      "add one to the file of HOLDFAST_PRICES, or leave the cost out of the budget.",
    ]);
  });

  it("BUD-14 is shown with what is used of it", () => {
    const used = { tokens: 1_204, provider_calls: 2, tool_rounds: 0, cost: 0.0123456 };
    const limits = { tokens: 20_000, provider_calls: 30, tool_rounds: 1, cost: 0.5 };
    expect(budgetLines({ turn: { limits: { tokens: 500 }, used }, conversation: { limits, used } })).toEqual([
      "budget of a turn: 1,204 of 500 tokens",
      "budget of the conversation: 1,204 of 20,000 tokens, 2 of 30 provider calls, 0 of 1 tool rounds, cost 0.012346 of 0.5",
    ]);
    expect(budgetLines({})).toEqual([]);
  });
});
