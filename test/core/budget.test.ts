import { describe, expect, it } from "vitest";
import { Agent, type AgentOptions } from "../../src/core/agent.js";
import { type BudgetLimits, tighter } from "../../src/core/budget.js";
import { admit, isRefused, submissionIssue } from "../../src/core/conversation/admit.js";
import { rebindShapeIssue } from "../../src/core/conversation/rebind.js";
import { checkAgent } from "../../src/core/envelope/check-agent.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { freshConversation } from "../support/conversation-samples.js";

const agentOf = (change: object): Agent =>
  new Agent({ model: "claude-haiku-4-5", ...change } as AgentOptions);

describe("a budget", () => {
  it.each([
    [{ turn: { tokens: 0 } }, "budget.turn.tokens: expected a whole number of 1 or more, found 0"],
    [{ turn: { tokens: 1.5 } }, "budget.turn.tokens: expected a whole number of 1 or more, found 1.5"],
    [{ turn: { tokens: "9" } }, 'budget.turn.tokens: expected a whole number of 1 or more, found "9"'],
    [
      { turn: { provider_calls: -1 } },
      "budget.turn.provider_calls: expected a whole number of 1 or more, found -1",
    ],
    [
      { conversation: { tool_rounds: Number.NaN } },
      "budget.conversation.tool_rounds: expected a whole number of 0 or more, found NaN",
    ],
    [{ conversation: { cost: 0 } }, "budget.conversation.cost: expected a number above 0, found 0"],
    [
      { turn: { cost: Number.POSITIVE_INFINITY } },
      "budget.turn.cost: expected a number above 0, found Infinity",
    ],
    [
      { turn: { token: 5 } },
      'budget.turn: expected tokens, provider_calls, tool_rounds, cost only, found "token"',
    ],
    [{ tokens: 5 }, 'budget: expected turn, conversation only, found "tokens"'],
    [{ turn: 5 }, "budget.turn: expected an object of tokens, provider_calls, tool_rounds, cost, found 5"],
    [null, "budget: expected an object of turn, conversation, found null"],
  ])("BUD-1 %j of an agent is refused in one line", (budget, message) => {
    expect(() => agentOf({ budget })).toThrow(new UsageError(`Agent: ${message}.`));
    expect(checkAgent({ ...agentOf({}).spec, budget }, "agent")[0]?.path).toContain("agent.budget");
    const rebinding = rebindShapeIssue(agentOf({}).spec, { agent: { model: "claude-haiku-4-5", budget } });
    expect(rebinding).toContain("rebind: `agent.budget");
  });

  it("BUD-1 of a message by hand is refused as well, and kept with the turn where it is one", () => {
    const message = { message: "Hello", budget: { tokens: -1 } };
    expect(submissionIssue(message)).toBe(
      "submit_turn: `budget.tokens`: expected a whole number of 1 or more, found -1.",
    );
    const budget = { tool_rounds: 0, cost: 0.5 };
    expect(submissionIssue({ message: "Hello", budget })).toBeUndefined();
    const outcome = admit(freshConversation(), { message: "Hello", budget }, { now: "", turnId: "t" });
    expect(isRefused(outcome) ? undefined : outcome.state.head.queue[0]?.budget).toEqual(budget);
  });

  it("BUD-1 and prices stand in the agent's definition, and come back from it", () => {
    const options = {
      budget: { turn: { tool_rounds: 0 }, conversation: { tokens: 9, cost: 0.5 } },
      prices: { "claude-*": { input: 1, output: 5 } },
    };
    const { spec } = agentOf(options);
    expect(spec).toMatchObject(options);
    expect(checkAgent(spec, "agent")).toEqual([]);
    expect(Agent.fromSpec(spec).spec).toEqual(spec);
  });

  it.each<[BudgetLimits | undefined, BudgetLimits | undefined, BudgetLimits | undefined]>([
    [undefined, undefined, undefined],
    [{ tokens: 5 }, undefined, { tokens: 5 }],
    [undefined, { cost: 1 }, { cost: 1 }],
    [
      { tokens: 5, tool_rounds: 0 },
      { tokens: 3, tool_rounds: 2, cost: 1 },
      { tokens: 3, tool_rounds: 0, cost: 1 },
    ],
  ])(
    "BUD-2 of the agent %j and of the message %j: the tighter one of each two limits shows",
    (one, other, both) => {
      expect(tighter(one, other)).toEqual(both);
      expect(tighter(other, one)).toEqual(both);
    },
  );
});
