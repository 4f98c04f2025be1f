/** Continuing a live conversation on another agent or model, in place. */
import type { AgentSpec } from "../agent.js";
import { checkAgent } from "../envelope/check-agent.js";
import type { ServedModel } from "../envelope/envelope.js";
import { checkStructure } from "../envelope/structure.js";
import { isJsonObject } from "../json.js";
import { dialectOf, resolveModel } from "../providers.js";
import type { ResolvedAgent } from "./activity-contract.js";
import type { RebindRequest } from "./messages.js";
import { grown } from "./segment.js";
import type { ConversationState } from "./state.js";
import { withHead } from "./state.js";

/** The agent that a request asks for: a whole definition replaces the agent, a model's name alone keeps the rest of it. */
export function reboundAgent(current: AgentSpec, wanted: RebindRequest["agent"]): AgentSpec {
  if (wanted.instructions === undefined) return { ...current, ...wanted };
  return { tools: [], params: {}, ...wanted, instructions: wanted.instructions };
}

/**
 * What is wrong with the shape of a rebind, in one line; undefined where nothing is. The agent goes into the envelope,
 * so it must be one that an envelope takes.
 */
export function rebindShapeIssue(current: AgentSpec, request: unknown): string | undefined {
  const wanted = isJsonObject(request) ? request.agent : undefined;
  if (!isJsonObject(wanted) || typeof wanted.model !== "string")
    return "rebind takes {agent: {model, instructions?, tools?, params?}}.";
  const agent = reboundAgent(current, wanted as unknown as RebindRequest["agent"]);
  const issue = checkAgent(agent, "agent")[0] ?? checkStructure({ agent });
  if (issue !== undefined)
    return `rebind: \`${issue.path}\`: expected ${issue.expected}, found ${issue.found}.`;
  return unknownModel(wanted.model);
}

function unknownModel(name: string): string | undefined {
  try {
    resolveModel(name);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

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
  const { prefix, agent_digest } = resolved;
  return grown(withHead(state, { agent, provider, model, prefix, agent_digest }), { served_models: [moved] });
}
