/** A call that is not made because the budget does not allow it. */
import type { OverBudget } from "../core/conversation/budget-use.js";

export class OverBudgetError extends Error {
  readonly type: OverBudget["error_type"];

  constructor({ error_type, error }: OverBudget, cause?: unknown) {
    super(error, cause === undefined ? {} : { cause });
    this.type = error_type;
  }
}
