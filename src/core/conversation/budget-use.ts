/** What turns have used of their budgets, and whether what comes next would pass one. Nothing but recorded values. */
import { type BudgetLimits, LIMIT_NAMES, tighter } from "../budget.js";
import type { AccountingTotals, Usage } from "../envelope/envelope.js";
import { addCost } from "../prices.js";
import type { BudgetInput } from "./activity-contract.js";
import type { BudgetStatus } from "./messages.js";
import type { ConversationState, RunningTurn } from "./state.js";
import { costOfCalls, providerCalls, usageOf } from "./tool-rounds.js";

/** The same four quantities as the limits. */
export type BudgetUse = Readonly<Record<keyof BudgetLimits, number>>;

const NOTHING_USED: BudgetUse = { tokens: 0, provider_calls: 0, tool_rounds: 0, cost: 0 };

/** Cached tokens are part of the input, reasoning of the output. */
export function tokensOf({ input_tokens, output_tokens }: Usage): number {
  return input_tokens + output_tokens;
}

/** What the turn's next request holds at the least: all that the last one held, and the answer but for its reasoning. */
export function carriedTokens({ input_tokens, output_tokens, reasoning_tokens }: Usage): number {
  return input_tokens + Math.max(0, output_tokens - reasoning_tokens);
}

export function addUse(one: BudgetUse, other: BudgetUse): BudgetUse {
  return {
    tokens: one.tokens + other.tokens,
    provider_calls: one.provider_calls + other.provider_calls,
    tool_rounds: one.tool_rounds + other.tool_rounds,
    cost: addCost(one.cost, other.cost) ?? 0,
  };
}

export function useOf({ usage, ...sums }: Omit<AccountingTotals, "turns" | "tool_calls">): BudgetUse {
  const { provider_calls, tool_rounds = 0, cost = 0 } = sums;
  return { tokens: tokensOf(usage), provider_calls, tool_rounds, cost };
}

/** Of the calls that have answered so far. */
export function useOfTurn({ calls, tool_rounds = 0 }: Pick<RunningTurn, "calls" | "tool_rounds">): BudgetUse {
  return {
    tokens: tokensOf(usageOf(calls)),
    provider_calls: providerCalls(calls),
    tool_rounds,
    cost: costOfCalls(calls) ?? 0,
  };
}

/** What a worker needs to know; undefined where there can be no budget. One that knows an agent by its name may know another. */
export function budgetInput({ head, running }: ConversationState): BudgetInput | undefined {
  if (running === null) return undefined;
  const { budget, name } = head.agent;
  if (budget === undefined && running.budget === undefined && name === undefined) return undefined;
  const last = running.calls.at(-1);
  return {
    ...(running.budget === undefined ? {} : { run: running.budget }),
    spent: useOf(head.totals),
    rounds: running.tool_rounds ?? 0,
    ...(last === undefined ? {} : { carried: carriedTokens(last.usage) }),
  };
}

/** Limits and use, for a look at the conversation; undefined without a budget. */
export function budgetStatus({ head, running }: ConversationState): BudgetStatus | undefined {
  const turn = tighter(head.agent.budget?.turn, running?.budget);
  const conversation = head.agent.budget?.conversation;
  if (turn === undefined && conversation === undefined) return undefined;
  const used = running === null ? NOTHING_USED : useOfTurn(running);
  return {
    ...(turn === undefined ? {} : { turn: { limits: turn, used } }),
    ...(conversation === undefined
      ? {}
      : { conversation: { limits: conversation, used: addUse(useOf(head.totals), used) } }),
  };
}

/** One set of limits, whose they are, and what has been used of them. */
export interface BudgetScope {
  /** `run`: of one turn, given with its message. */
  readonly whose: "run" | "turn" | "conversation";
  readonly limits: BudgetLimits;
  readonly used: BudgetUse;
  /** The agent is one of the worker's: a rebind would not change it. */
  readonly deployed?: boolean;
}

export interface OverBudget {
  readonly error_type: `budget.${keyof BudgetLimits}`;
  readonly error: string;
}

/** The first limit that would be passed by what comes next, which is at least so much. */
export function overBudget(scopes: readonly BudgetScope[], next: BudgetUse): OverBudget | undefined {
  for (const name of LIMIT_NAMES) {
    for (const scope of scopes) {
      const limit = scope.limits[name];
      if (limit === undefined || next[name] === 0 || scope.used[name] + next[name] <= limit) continue;
      return { error_type: `budget.${name}`, error: errorText(scope, name, limit, next[name]) };
    }
  }
  return undefined;
}

function errorText(scope: BudgetScope, name: keyof BudgetLimits, limit: number, next: number): string {
  const owner = scope.whose === "conversation" ? "conversation" : "turn";
  const what = name === "tool_rounds" ? "the tools that the model asks for" : "the next call";
  const least = name === "tokens" || name === "cost" ? "at least about " : "";
  const used = number(scope.used[name]);
  return `The ${owner}'s budget of ${quantity(name, limit)} does not allow ${what}: ${used} used, ${least}${number(next)} more needed. ${remedy(scope, name)}`;
}

function remedy({ whose, deployed = false }: BudgetScope, name: keyof BudgetLimits): string {
  if (whose === "run") return "Ask for less at once, or send the message again with a larger budget.";
  const where = deployed ? "where it is deployed" : "by a rebind";
  const raise = `aise the agent's budget.${whose}.${name} ${where}.`;
  return whose === "turn" ? `Ask for less at once, or r${raise}` : `R${raise}`;
}

function quantity(name: keyof BudgetLimits, limit: number): string {
  const said = number(limit);
  return name === "cost"
    ? `cost ${said}`
    : `${said} ${limit === 1 ? name.slice(0, -1) : name}`.replace("_", " ");
}

/** As 12,345 or 0.0125: at most six digits behind the point. */
function number(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
