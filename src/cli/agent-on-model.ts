/** The agent of an envelope, on another model. */
import { Agent } from "../core/agent.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { dialectOf, resolveModel } from "../core/providers.js";

export interface MovedAgent {
  readonly agent: Agent;
  /** Names of request parameters that the other provider's wire would not know. */
  readonly leftOut: readonly string[];
}

/** Request parameters are in the provider's own names: they stay with it. */
export function agentOnModel(
  { agent, provider }: Pick<Envelope, "agent" | "provider">,
  model: string,
): MovedAgent {
  if (agent === null || typeof agent !== "object")
    return { agent: new Agent({ model, ...(agent === null ? {} : { name: agent }) }), leftOut: [] };
  const stays = resolveModel(model).dialect === dialectOf(provider);
  return {
    agent: Agent.fromSpec({ ...agent, model, params: stays ? agent.params : {} }),
    leftOut: stays ? [] : Object.keys(agent.params),
  };
}

/** The line that says so; undefined where nothing was left out. */
export function leftOutLine({ leftOut }: MovedAgent): string | undefined {
  if (leftOut.length === 0) return undefined;
  return `The agent's parameters (${leftOut.join(", ")}) are the former provider's own and are left out.`;
}
