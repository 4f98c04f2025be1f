/** The budget of the turn that a call belongs to: looked at before the call, after its failure and after its answer. */
import type { AgentSpec } from "../core/agent.js";
import type { BudgetLimits } from "../core/budget.js";
import type { CallModelInput } from "../core/conversation/activity-contract.js";
import {
  addUse,
  type BudgetScope,
  type BudgetUse,
  carriedTokens,
  type OverBudget,
  overBudget,
  useOf,
} from "../core/conversation/budget-use.js";
import { EMPTY_USAGE } from "../core/envelope/accounting.js";
import type { Usage } from "../core/envelope/envelope.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { costOf, leastCost, type Price, type Prices, priceOf } from "../core/prices.js";
import { activityFailure } from "./activity-failure.js";
import { OverBudgetError } from "./over-budget-error.js";

const NOTHING_SPENT: BudgetUse = { tokens: 0, provider_calls: 0, tool_rounds: 0, cost: 0 };

export class TurnBudget {
  readonly #agent: AgentSpec;
  readonly #input: CallModelInput;
  readonly #price: Price | undefined;
  readonly #deployed: boolean;

  /** `prices` and `deployed`, whether the agent is its own, of the worker. @throws a refusal of the turn where its cost is limited and nobody knows the model's price. */
  constructor(
    input: CallModelInput,
    agent: AgentSpec,
    { prices, deployed }: { readonly prices?: Prices | undefined; readonly deployed?: boolean } = {},
  ) {
    this.#deployed = deployed ?? false;
    this.#agent = agent;
    this.#input = input;
    this.#price = priceOf([agent.prices, prices], agent.model);
    if (this.#price !== undefined || !this.#limits.some(({ limits }) => limits.cost !== undefined)) return;
    const text = `The cost is limited and ${agent.model} has no price: add one to the agent's \`prices\` or the worker's (HOLDFAST_PRICES), or leave the cost out of the budget.`;
    throw activityFailure("turn.refused", text, { retryable: false, details: ["no_price"] });
  }

  /** Of a call, where the model has a price. */
  cost(usage: Usage): number | undefined {
    return this.#price === undefined ? undefined : costOf(usage, this.#price);
  }

  /** Whether it matters how much the next request holds. */
  get needsTokens(): boolean {
    return this.#limits.some(({ limits }) => limits.tokens !== undefined || limits.cost !== undefined);
  }

  /** After so many calls of this activity. @throws OverBudgetError where one more is bound to pass a limit. */
  assertCall(calls: number, tokens: number): void {
    const over = this.#over({ calls }, this.#next(tokens, 0));
    if (over !== undefined) throw new OverBudgetError(over);
  }

  /** How many calls are left after so many of this activity; undefined where they are not limited. */
  callsLeft(calls: number): number | undefined {
    const left = this.#scopes({ calls }).flatMap(({ limits: { provider_calls: most }, used }) =>
      most === undefined ? [] : [most - used.provider_calls],
    );
    return left.length === 0 ? undefined : Math.min(...left);
  }

  /** What a call that may be tried again fails with where the budget leaves no other: it is not waited for in vain. */
  afterFailure(error: unknown, calls: number): unknown {
    if (!(error instanceof ProviderFailure && error.retryable)) return error;
    const over = this.#over({ calls }, { ...NOTHING_SPENT, provider_calls: 1 });
    if (over === undefined) return error;
    return new OverBudgetError(
      { ...over, error: `${over.error} The last call failed: ${error.message}` },
      error,
    );
  }

  /** Of an answer that asks for tools: why neither they nor the call after them may be. */
  afterAnswer(usage: Usage, calls: number): OverBudget | undefined {
    const tokens = this.#isWindowed ? 1 : carriedTokens(usage);
    return this.#over({ calls, usage }, this.#next(tokens, 1));
  }

  /** Tokens of the request at the least: `whole` and `added` are estimates of all of it, and of what it adds to the last one. */
  leastTokens(whole: () => number, added: () => number): number {
    const { carried } = this.#input.budget ?? {};
    return carried === undefined || this.#isWindowed ? whole() : carried + added();
  }

  /** Where the window is one of tokens, a later request of the turn may hold less than the one before it. */
  get #isWindowed(): boolean {
    return this.#agent.send_window?.input_tokens !== undefined;
  }

  #next(tokens: number, rounds: number): BudgetUse {
    const least = Math.max(1, tokens);
    const cost = this.#price === undefined ? 0 : leastCost(least, this.#price);
    return { tokens: least, provider_calls: 1, tool_rounds: rounds, cost };
  }

  #over(made: Made, next: BudgetUse): OverBudget | undefined {
    return overBudget(this.#scopes(made), next);
  }

  get #limits(): readonly Pick<BudgetScope, "whose" | "limits" | "deployed">[] {
    const { budget } = this.#agent;
    const all: readonly (readonly [BudgetScope["whose"], BudgetLimits | undefined])[] = [
      ["run", this.#input.budget?.run],
      ["turn", budget?.turn],
      ["conversation", budget?.conversation],
    ];
    return all.flatMap(([whose, limits]) =>
      limits === undefined ? [] : [{ whose, limits, deployed: this.#deployed }],
    );
  }

  #scopes({ calls, usage = EMPTY_USAGE }: Made): readonly BudgetScope[] {
    const { before, budget } = this.#input;
    const cost = this.cost(usage) ?? 0;
    const now = useOf({ usage, provider_calls: calls, tool_rounds: budget?.rounds ?? 0, cost });
    const turn = before === undefined ? now : addUse(useOf(before), now);
    const conversation = addUse(budget?.spent ?? NOTHING_SPENT, turn);
    return this.#limits.map((limits) => ({
      ...limits,
      used: limits.whose === "conversation" ? conversation : turn,
    }));
  }
}

/** By this activity: calls of the provider, and the usage of the one that answered. */
interface Made {
  readonly calls: number;
  readonly usage?: Usage;
}
