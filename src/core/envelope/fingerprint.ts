/** The prefix of an agent as hashes: what precedes the history on every call, so that a change of it is noticed. */
import type { AgentSpec, ToolSpec } from "../agent.js";
import { canonicalJson, sha256Hex } from "../hash.js";
import type { Prefix } from "./envelope.js";

/**
 * Hashes of the instructions and of every tool (name, description, schema), and one fingerprint over them. The order
 * of the tools does not count, nor do the model and the request parameters.
 */
export function prefixOf(agent: Pick<AgentSpec, "instructions" | "tools">): Prefix {
  return sealed(
    sha256Hex(agent.instructions),
    agent.tools.map((tool) => ({ name: tool.name, sha256: toolSha256(tool) })),
  );
}

/**
 * The prefix of an agent that goes on where `before` was sent last. A tool that is given by its name alone is taken to be as it was,
 * for only a worker knows its definition: the first call tells where that has changed. Where `before` lacks one of them the first call
 * completes all of them, so that none is taken so.
 */
export function continuedPrefix(
  before: Prefix | null,
  agent: Pick<AgentSpec, "instructions" | "tools">,
): Prefix {
  const known = new Map(before?.tools.map(({ name, sha256 }) => [name, sha256]));
  const isUnknown = (tool: ToolSpec): boolean => isNameOnly(tool) && !known.has(tool.name);
  if (agent.tools.some(isUnknown)) return prefixOf(agent);
  const tools = agent.tools.map((tool) => {
    const sha256 = isNameOnly(tool) ? known.get(tool.name) : undefined;
    return { name: tool.name, sha256: sha256 ?? toolSha256(tool) };
  });
  return sealed(sha256Hex(agent.instructions), tools);
}

function sealed(instructions_sha256: string, given: Prefix["tools"]): Prefix {
  const tools = given.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    fingerprint: sha256Hex(canonicalJson({ instructions_sha256, tools })),
    instructions_sha256,
    tools,
  };
}

function isNameOnly({ input_schema }: ToolSpec): boolean {
  return input_schema === undefined;
}

function toolSha256({ name, description, input_schema }: ToolSpec): string {
  return sha256Hex(canonicalJson({ name, description, input_schema }));
}
