/** The prefix of an agent as hashes: what precedes the history on every call, so that a change of it is noticed. */
import type { AgentSpec, ToolSpec } from "../agent.js";
import { canonicalJson, sha256Hex } from "../hash.js";
import type { Prefix } from "./envelope.js";

/**
 * Hashes of the instructions and of every tool (name, description, schema), and one fingerprint over them. The order
 * of the tools does not count, nor do the model and the request parameters.
 */
export function prefixOf(agent: Pick<AgentSpec, "instructions" | "tools">): Prefix {
  const instructions_sha256 = sha256Hex(agent.instructions);
  const tools = agent.tools
    .map((tool) => ({ name: tool.name, sha256: toolSha256(tool) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  return {
    fingerprint: sha256Hex(canonicalJson({ instructions_sha256, tools })),
    instructions_sha256,
    tools,
  };
}

function toolSha256({ name, description, input_schema }: ToolSpec): string {
  return sha256Hex(canonicalJson({ name, description, input_schema }));
}
