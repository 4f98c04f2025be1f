/** Continuing a live conversation on another agent or model, in place. */
import type { AgentSpec } from "../agent.js";
import type { ServedModel } from "../envelope/envelope.js";
import { dialectOf, resolveModel } from "../providers.js";
import type { ResolvedAgent } from "./activity-contract.js";
import { grown } from "./segment.js";
import type { ConversationState } from "./state.js";
import { withHead } from "./state.js";

/** Why a rebind is refused now, in one line; undefined where it may happen. */
export function rebindIssue(state: ConversationState, newModel: string): string | undefined {
  const { conversation_id: id, provider, model, closing } = state.head;
  if (closing) return `Conversation ${id} is closed: import its envelope under the other model instead.`;
  if (state.running !== null || state.head.queue.length > 0) {
    return `Conversation ${id} has a turn running or waiting: rebind when it has ended, or cancel it first.`;
  }
  const target = resolveModel(newModel);
  if (dialectOf(provider) !== target.dialect) {
    return `Conversation ${id} runs on ${provider}:${model}; moving it to another provider (${target.provider}:${target.model}) is not supported yet: rebind to a model of ${provider}.`;
  }
  return undefined;
}

/** The conversation under its new agent. Same dialect: the history is untouched. */
export function rebind(
  state: ConversationState,
  agent: AgentSpec,
  resolved: ResolvedAgent,
  now: string,
): ConversationState {
  const { provider, model } = resolveModel(agent.model);
  const { head } = state;
  const moved: ServedModel = {
    event: "rebind",
    provider,
    model,
    at: now,
    turn: head.run_count,
    from: { provider: head.provider, model: head.model },
  };
  return grown(withHead(state, { agent, provider, model, ...resolved }), { served_models: [moved] });
}
