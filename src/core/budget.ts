/** A budget: the most that one turn, or a whole conversation, may use. */
import { type Check, count, describeValue, is, positive } from "./envelope/check.js";
import { UsageError } from "./errors/errors.js";
import { isJsonObject } from "./json.js";

export type { Price, Prices } from "./prices.js";

/** Each limit holds by itself. What is left out is not limited. */
export interface BudgetLimits {
  /** Input and output together. Cached input is part of the input, reasoning of the output: neither counts twice. */
  readonly tokens?: number;
  /** Calls that reached the provider, failed ones included. */
  readonly provider_calls?: number;
  /** Rounds of tool calls; 0: no tool may run. */
  readonly tool_rounds?: number;
  /** In the unit of the prices. */
  readonly cost?: number;
}

export interface Budget {
  /** Of each turn. */
  readonly turn?: BudgetLimits;
  /** Of all turns since the conversation began, wherever it was imported from; interrupted ones included. */
  readonly conversation?: BudgetLimits;
}

const LIMITS: Readonly<Record<keyof BudgetLimits, Check>> = {
  tokens: positive,
  provider_calls: positive,
  tool_rounds: count,
  cost: is("a number above 0", (value) => Number.isFinite(value) && Number(value) > 0),
};

/** In the order in which they are looked at. */
export const LIMIT_NAMES: readonly (keyof BudgetLimits)[] = [
  "provider_calls",
  "tool_rounds",
  "tokens",
  "cost",
];

/** Strict, also in an envelope: a limit under a name that is not known would be one that nobody keeps. */
export const checkLimits: Check = exactly(LIMITS);
export const checkBudget: Check = exactly({ turn: checkLimits, conversation: checkLimits });

function exactly(checks: Readonly<Record<string, Check>>): Check {
  const names = Object.keys(checks).join(", ");
  return (value, path) => {
    if (!isJsonObject(value))
      return [{ path, expected: `an object of ${names}`, found: describeValue(value) }];
    return Object.entries(value).flatMap(([name, member]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check === undefined) return [{ path, expected: `${names} only`, found: JSON.stringify(name) }];
      return member === undefined ? [] : check(member, `${path}.${name}`);
    });
  };
}

/** @throws UsageError in one line, naming the first place that is wrong. */
export function assertBudget(owner: string, check: Check, value: unknown): void {
  if (value === undefined) return;
  const [issue] = check(value, "budget");
  if (issue === undefined) return;
  throw new UsageError(`${owner}: ${issue.path}: expected ${issue.expected}, found ${issue.found}.`);
}

/** What both allow. */
export function tighter(
  one: BudgetLimits | undefined,
  other: BudgetLimits | undefined,
): BudgetLimits | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const both = [one[name], other[name]].filter((limit) => limit !== undefined);
      return both.length === 0 ? [] : [[name, Math.min(...both)]];
    }),
  );
}
