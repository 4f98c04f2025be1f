/** `--agent`: a conversation with an agent that a worker has under that name. */
import type { Conversation } from "../client/conversation.js";
import type { Settings } from "../connection/settings.js";
import { Agent } from "../core/agent.js";
import { UsageError } from "../core/errors/errors.js";
import { resolveModel } from "../core/providers.js";
import { agentOnModel } from "./agent-on-model.js";

export const agentArgument = {
  type: "string",
  valueHint: "NAME",
  description:
    "starts the conversation with the worker's agent of this name; its model is known where a `holdfast dev MODULE` runs here, else --model names it",
} as const;

/** @throws UsageError: a worker follows its own agent of the name, and would never say what is told beside it. */
export function assertAgentAlone({
  agent,
  instructions,
}: {
  readonly agent: string | undefined;
  readonly instructions: string | undefined;
}): void {
  if (agent === undefined || instructions === undefined) return;
  throw new UsageError("An --agent has its own instructions: leave --instructions out.");
}

/** As the `holdfast dev` that runs here has it, else by its name and model. @throws UsageError where neither is enough. */
export function deployedAgent(
  name: string,
  model: string | undefined,
  { dev, source }: Pick<Settings, "dev" | "source">,
): Agent {
  const known = (source === "dev-folder" ? dev?.state?.agents : undefined) ?? [];
  const spec = known.find((agent) => agent.name === name);
  if (spec !== undefined && model === undefined) return Agent.fromSpec(spec);
  if (spec !== undefined && model !== undefined)
    return agentOnModel({ agent: spec, provider: resolveModel(spec.model).provider }, model).agent;
  if (model !== undefined) return new Agent({ name, model });
  throw new UsageError(
    known.length === 0
      ? `The model of agent ${JSON.stringify(name)} is not known here: name it with --model, or start \`holdfast dev MODULE\` in this folder with a module that exports the agent.`
      : `The \`holdfast dev\` that runs here has no agent ${JSON.stringify(name)}, but ${known.map((agent) => agent.name).join(", ")}: correct the name, or name its --model where another worker has it.`,
  );
}

/** @throws UsageError for a conversation that is there already, with another agent. */
export async function assertFollows(conversation: Conversation, name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const { agent_name } = await conversation.describe();
  if (agent_name === name) return;
  throw new UsageError(
    `Conversation ${conversation.id} has ${agent_name === null ? "no agent of a name" : `the agent ${agent_name}`}: leave --agent out, or start another one.`,
  );
}
