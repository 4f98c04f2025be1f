/** `--budget`: limits by name, as `tokens=20000,cost=0.5`. */
import { type Budget, type BudgetLimits, checkBudget, checkLimits } from "../core/budget.js";
import type { BudgetStatus } from "../core/conversation/messages.js";
import type { Check } from "../core/envelope/check.js";
import { UsageError } from "../core/errors/errors.js";
import { amountOf, costText } from "./wording.js";

/** Of one turn. @throws UsageError for what is no list of limits. */
export function limitsOption(text: string | undefined): BudgetLimits | undefined {
  if (text === undefined) return undefined;
  const limits = Object.fromEntries(pairs(text));
  assertOption(checkLimits, limits, "tokens=20000,cost=0.5");
  return limits;
}

/** Of an agent. @throws UsageError for what is no list of limits, each of `turn` or `conversation`. */
export function budgetOption(text: string | undefined): Budget | undefined {
  if (text === undefined) return undefined;
  const budget: Record<string, Record<string, number>> = {};
  for (const [name, limit] of pairs(text)) {
    const [scope = "", ...rest] = name.split(".");
    budget[scope] = { ...budget[scope], [rest.join(".")]: limit };
  }
  assertOption(checkBudget, budget, "turn.tokens=20000,conversation.cost=5");
  return budget;
}

function pairs(text: string): readonly (readonly [name: string, limit: number])[] {
  return text.split(",").map((part) => {
    const [name = "", limit = ""] = part.split("=").map((side) => side.trim());
    return [name, limit === "" ? Number.NaN : Number(limit)];
  });
}

function assertOption(check: Check, value: unknown, example: string): void {
  const [issue] = check(value, "--budget");
  if (issue === undefined) return;
  throw new UsageError(
    `${issue.path}: expected ${issue.expected}, found ${issue.found}: as in --budget ${example}.`,
  );
}

/** “budget of the conversation: 1,204 of 20,000 tokens, 2 of 30 provider calls”. */
export function budgetLines({ turn, conversation }: BudgetStatus): readonly string[] {
  return [
    ...(turn === undefined ? [] : [`budget of a turn: ${usedOf(turn)}`]),
    ...(conversation === undefined ? [] : [`budget of the conversation: ${usedOf(conversation)}`]),
  ];
}

function usedOf({ limits, used }: NonNullable<BudgetStatus["turn"]>): string {
  const { tokens, provider_calls, tool_rounds, cost } = limits;
  return [
    tokens === undefined ? [] : `${amountOf(used.tokens)} of ${amountOf(tokens)} tokens`,
    provider_calls === undefined
      ? []
      : `${amountOf(used.provider_calls)} of ${amountOf(provider_calls)} provider calls`,
    tool_rounds === undefined ? [] : `${amountOf(used.tool_rounds)} of ${amountOf(tool_rounds)} tool rounds`,
    cost === undefined ? [] : `cost ${costText(used.cost)} of ${costText(cost)}`,
  ]
    .flat()
    .join(", ");
}
