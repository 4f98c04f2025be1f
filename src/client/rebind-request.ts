/** What a handle asks of the conversation for a rebind, or for the preview of one. */
import type { Agent } from "../core/agent.js";
import { assertBudget, type Budget, checkBudget } from "../core/budget.js";
import type { RebindRequest } from "../core/conversation/messages.js";
import { UsageError } from "../core/errors/errors.js";
import { resolveModel } from "../core/providers.js";
import type { ClientContext } from "./client-context.js";
import { isAgent } from "./option-names.js";
import { placedAgent } from "./save-envelope.js";

export interface PreviewOptions {
  /** False: a history of another provider is refused unless it is plain text. Default: true, unless HOLDFAST_CONVERSION=off here or on the worker. */
  readonly convert?: boolean;
}

export interface RebindOptions extends PreviewOptions {
  /** In the place of the agent's, all of it. */
  readonly budget?: Budget;
  /** False: it is only sent, and a refusal shows in `status().refusals`. */
  readonly wait?: boolean;
}

/** @throws UsageError for a model that nobody serves, a budget that is none, and for what is neither an agent nor a model's name. */
export function rebindRequest(
  agent: Agent | string,
  options: RebindOptions,
  context: Pick<ClientContext, "convert" | "cwd" | "stores">,
): RebindRequest {
  const convert = options.convert ?? context.convert;
  assertBudget("rebind", checkBudget, options.budget);
  const budget = options.budget === undefined ? {} : { budget: options.budget };
  const wanted = { ...placedAgent(context, wantedAgent(agent)), ...budget };
  return { agent: wanted, ...(convert ? {} : { convert }) };
}

function wantedAgent(agent: Agent | string): RebindRequest["agent"] {
  if (typeof agent === "string") {
    resolveModel(agent);
    return { model: agent };
  }
  if (isAgent(agent)) return agent.spec;
  throw new UsageError('A rebind takes an agent or a model\'s name: rebind("claude-opus-5-5").');
}
