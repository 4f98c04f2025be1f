/** Whether a turn ends with the result of a model call, and how. */
import type { CallModelResult } from "./activity-contract.js";

/** Undefined where the turn goes on: with a round of tools, or with an answer that is sent back. */
export function turnEndAfter(
  result: Pick<
    CallModelResult,
    "tool_calls" | "round_limit" | "run_full" | "over_budget" | "repair" | "invalid_output"
  >,
): "committed" | "interrupted" | undefined {
  const { tool_calls, repair, ...ends } = result;
  const reasons = [ends.round_limit, ends.run_full, ends.over_budget, ends.invalid_output];
  if (reasons.some((reason) => reason !== undefined)) return "interrupted";
  return tool_calls === undefined && repair === undefined ? "committed" : undefined;
}
