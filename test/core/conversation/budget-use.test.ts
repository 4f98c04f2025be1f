import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addUse,
  type BudgetUse,
  budgetInput,
  budgetStatus,
  carriedTokens,
  overBudget,
} from "../../../src/core/conversation/budget-use.js";
import { stageCall } from "../../../src/core/conversation/tool-rounds.js";
import { commitTurn, interruptTurn } from "../../../src/core/conversation/turn.js";
import { statusOf } from "../../../src/core/conversation/views.js";
import { answerTo, freshConversation, ONE_CALL, running } from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";

const NOTHING: BudgetUse = { tokens: 0, provider_calls: 0, tool_rounds: 0, cost: 0 };
const CALL = { id: "c1", name: "add", arguments: {} };
const BUDGET = { turn: { tokens: 100 }, conversation: { tool_rounds: 3 } };

const begun = (agent: object = { budget: BUDGET }) => running(freshConversation({ agent }), "t");

describe("what turns use of their budgets", () => {
  it("BUD-4 no call is begun that is bound to pass a limit, and none is kept back that could stay within", () => {
    const step = fc.record({ least: fc.integer({ min: 1, max: 500 }), more: fc.nat({ max: 500 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.array(step, { maxLength: 20 }), (limit, steps) => {
        let used = NOTHING;
        for (const { least, more } of steps) {
          const scope = { whose: "turn", limits: { tokens: limit }, used } as const;
          const over = overBudget([scope], { ...NOTHING, tokens: least, provider_calls: 1 });
          expect(over === undefined).toBe(used.tokens + least <= limit);
          if (over !== undefined) return;
          used = addUse(used, { ...NOTHING, tokens: least + more, provider_calls: 1 });
        }
      }),
    );
  });

  it("BUD-4 names the limit, what is used, whose it is and the way on", () => {
    const used = { tokens: 1_900, provider_calls: 3, tool_rounds: 2, cost: 0.0123456 };
    const next = { tokens: 500, provider_calls: 1, tool_rounds: 1, cost: 0.001 };
    const issue = (whose: "run" | "turn" | "conversation", limits: object, deployed = false) =>
      overBudget([{ whose, limits, used, deployed }], next);
    expect(issue("turn", { tokens: 2_400, provider_calls: 4, tool_rounds: 3, cost: 0.02 })).toBeUndefined();
    expect(issue("conversation", { cost: 0.0125, tokens: 5_000 })).toEqual({
      error_type: "budget.cost",
      error:
        "The conversation's budget of cost 0.0125 does not allow the next call: 0.012346 used, at least about 0.001 more needed. Raise the agent's budget.conversation.cost by a rebind.",
    });
    expect(issue("run", { provider_calls: 1 })).toEqual({
      error_type: "budget.provider_calls",
      error:
        "The turn's budget of 1 provider call does not allow the next call: 3 used, 1 more needed. Ask for less at once, or send the message again with a larger budget.",
    });
    expect(issue("turn", { tool_rounds: 2 }, true)?.error).toBe(
      "The turn's budget of 2 tool rounds does not allow the tools that the model asks for: 2 used, 1 more needed. Ask for less at once, or raise the agent's budget.turn.tool_rounds where it is deployed.",
    );
  });

  it("BUD-9 what costs nothing is allowed, however much was spent", () => {
    const used = { ...NOTHING, cost: 5 };
    const scope = { whose: "conversation", limits: { cost: 1 }, used } as const;
    expect(overBudget([scope], { ...NOTHING, tokens: 9, provider_calls: 1 })).toBeUndefined();
  });

  it("BUD-4 the next request holds the last one and its answer, without what was only thought", () => {
    const usage = { ...ONE_CALL, input_tokens: 100, output_tokens: 50, reasoning_tokens: 30 };
    expect(carriedTokens(usage)).toBe(120);
  });

  it("BUD-8 a worker is told of the conversation's use, only where there can be a budget", () => {
    expect(budgetInput(begun({}))).toBeUndefined();
    expect(budgetInput(freshConversation())).toBeUndefined();
    const first = commitTurn(begun(), { ...answerTo(begun()), cost: 0.5 }, SAMPLE_TIME);
    const next = running(first, "u", { budget: { cost: 1 } });
    const spent = { tokens: 15, provider_calls: 1, tool_rounds: 0, cost: 0.5 };
    expect(budgetInput(next)).toEqual({ run: { cost: 1 }, spent, rounds: 0 });
    const staged = stageCall(next, { ...answerTo(next), tool_calls: [CALL] });
    expect(budgetInput(staged)).toEqual({ run: { cost: 1 }, spent, rounds: 1, carried: 15 });
    expect(budgetInput(begun({ name: "reviewer" }))).toMatchObject({ rounds: 0 });
  });

  it("BUD-12 an interrupted turn keeps cost and rounds in its record, its account and the totals", () => {
    const state = begun();
    const once = stageCall(state, { ...answerTo(state), tool_calls: [CALL], cost: 0.1 });
    const over_budget = { error_type: "budget.tokens", error: "No more." } as const;
    const twice = stageCall(once, { ...answerTo(state), tool_calls: [CALL], cost: 0.2, over_budget });
    const { head, tail } = interruptTurn(twice, over_budget, SAMPLE_TIME);
    expect(head.interrupted_turn).toMatchObject({ ...over_budget, cost: 0.3 });
    expect(tail.turns).toMatchObject([{ tool_rounds: 1, cost: 0.3, provider_calls: 2 }]);
    expect(head.totals).toMatchObject({ turns: 0, tool_rounds: 1, cost: 0.3, provider_calls: 2 });
  });

  it("BUD-14 status shows limits and use, of the turn that runs and of the conversation with it", () => {
    expect(statusOf(begun({}), false)).not.toHaveProperty("budget");
    const state = running(freshConversation({ agent: { budget: BUDGET } }), "t", { budget: { tokens: 50 } });
    const staged = stageCall(state, { ...answerTo(state), tool_calls: [CALL], cost: 0.25 });
    const used = { tokens: 15, provider_calls: 1, tool_rounds: 1, cost: 0.25 };
    expect(statusOf(staged, false).budget).toEqual({
      turn: { limits: { tokens: 50 }, used },
      conversation: { limits: { tool_rounds: 3 }, used },
    });
    const after = interruptTurn(staged, { error_type: "turn.failed", error: "" }, SAMPLE_TIME);
    expect(budgetStatus(after)).toEqual({
      turn: { limits: { tokens: 100 }, used: NOTHING },
      conversation: { limits: { tool_rounds: 3 }, used },
    });
  });
});
