/** Before a rebind: whether this worker can call the model, and the agent's hashes. */
import type { ResolveAgentInput, ResolvedAgent } from "../core/conversation/activity-contract.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { agentDigest } from "../core/hash.js";
import { resolveModel } from "../core/providers.js";
import { activityFailure, errorMessage, errorType } from "./activity-failure.js";
import type { ActivityDependencies } from "./dependencies.js";
import { withDefinitions } from "./tools/plan-calls.js";

export async function resolveAgent(
  dependencies: ActivityDependencies,
  input: ResolveAgentInput,
): Promise<ResolvedAgent> {
  try {
    await dependencies.providers.get(resolveModel(input.agent.model).provider);
    return {
      prefix: prefixOf(withDefinitions(dependencies.tools, input.agent)),
      agent_digest: agentDigest(input),
    };
  } catch (error) {
    throw activityFailure(errorType(error), errorMessage(error), { retryable: false });
  }
}
