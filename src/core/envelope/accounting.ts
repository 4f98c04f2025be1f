/** Sums over what turns have cost. */
import { addCost } from "../prices.js";
import type { AccountingTotals, TurnAccount, Usage } from "./envelope.js";

export const EMPTY_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
};

export const EMPTY_TOTALS: AccountingTotals = {
  turns: 0,
  provider_calls: 0,
  tool_calls: 0,
  usage: EMPTY_USAGE,
};

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input_tokens: sum(left.input_tokens, right.input_tokens),
    output_tokens: sum(left.output_tokens, right.output_tokens),
    cache_read_tokens: sum(left.cache_read_tokens, right.cache_read_tokens),
    cache_write_tokens: sum(left.cache_write_tokens, right.cache_write_tokens),
    reasoning_tokens: sum(left.reasoning_tokens, right.reasoning_tokens),
  };
}

/** Within what an envelope holds, whatever servers have said. */
function sum(left: number, right: number): number {
  return Math.min(left + right, Number.MAX_SAFE_INTEGER);
}

/** Only a committed turn counts as a turn; what an interrupted one has cost is summed all the same: it was paid. */
export function addToTotals(totals: AccountingTotals, account: TurnAccount): AccountingTotals {
  const tool_rounds = (totals.tool_rounds ?? 0) + (account.tool_rounds ?? 0);
  const cost = addCost(totals.cost, account.cost);
  return {
    ...totals,
    turns: totals.turns + (account.state === "committed" ? 1 : 0),
    provider_calls: totals.provider_calls + account.provider_calls,
    tool_calls: totals.tool_calls + account.tool_calls,
    ...(tool_rounds === 0 ? {} : { tool_rounds }),
    usage: addUsage(totals.usage, account.usage),
    ...(cost === undefined ? {} : { cost }),
  };
}

export function totalsOf(accounts: readonly TurnAccount[]): AccountingTotals {
  return accounts.reduce(addToTotals, EMPTY_TOTALS);
}
