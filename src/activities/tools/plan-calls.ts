/** Which tools an agent's turn may use on this worker, and how the calls of a model are to be run. */
import type { AgentSpec, ToolSpec } from "../../core/agent.js";
import type { PlannedCall } from "../../core/conversation/activity-contract.js";
import type { ToolCall } from "../../core/dialects/dialect.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { activityFailure, errorMessage } from "../activity-failure.js";
import { answeredWithin } from "./answered-within.js";
import { refusalsOf, withFewLocal } from "./bound-calls.js";
import type { Tool } from "./tool.js";

export type Tools = ReadonlyMap<string, Tool>;

/** A question about a call that takes longer is answered with yes. */
export const ASKING_MS = 10_000;

export interface Asking {
  /** How long a tool may take to say whether a call needs approval, in milliseconds. */
  readonly withinMs?: number;
  /** Hears of a question that failed or was not answered. */
  warn(text: string): void;
}

/** The kinds of answer that a dialect writes; a call that wants another (a screenshot, a patch) is nothing for a tool. */
const ANSWERS: readonly (string | undefined)[] = [undefined, "custom_tool_call_output"];

/** The agent with the worker's definition of every tool of which it has the name only. */
export function withDefinitions(tools: Tools, agent: AgentSpec): AgentSpec {
  if (!agent.tools.some(isNameOnly)) return agent;
  return { ...agent, tools: agent.tools.map((tool) => (isNameOnly(tool) ? completed(tools, tool) : tool)) };
}

function isNameOnly({ input_schema }: ToolSpec): boolean {
  return input_schema === undefined;
}

function completed(tools: Tools, { name, description }: ToolSpec): ToolSpec {
  const known = tools.get(name);
  const said = description ?? known?.description;
  return {
    name,
    ...(said === undefined ? {} : { description: said }),
    ...(known === undefined ? {} : { input_schema: known.input_schema }),
  };
}

/** @throws a refusal of the turn, before anything was called, where the worker lacks a tool of the agent. */
export function assertTools(tools: Tools, agent: AgentSpec): void {
  const missing = agent.tools.find(({ name }) => !tools.has(name));
  if (missing === undefined) return;
  const text = `This worker has no tool named ${missing.name}: deploy a worker that registers it, or use an agent without it.`;
  throw activityFailure("turn.refused", text, { retryable: false, details: ["unknown_tool"] });
}

/**
 * The calls with the bounds of their tools. One of a tool that the agent does not have is planned as well: the model is told. So it is of
 * those that are too many or too large for one answer, of which no tool is asked.
 *
 * @throws a failure of the turn for a call that no tool can answer.
 */
export async function planCalls(
  tools: Tools,
  agent: AgentSpec,
  calls: readonly ToolCall[],
  asking: Asking,
): Promise<readonly PlannedCall[]> {
  const offered = new Set(agent.tools.map(({ name }) => name));
  const refusals = refusalsOf(calls);
  const planned = calls.map(async (call, position): Promise<PlannedCall> => {
    if (!ANSWERS.includes(call.answer)) {
      const text = `${agent.model} called ${call.name}, which no tool can answer: leave the provider's own tools that a client runs out of the params.`;
      throw activityFailure("turn.unsupported_call", text, { retryable: false });
    }
    const refused = refusals[position];
    if (refused !== undefined) return { ...call, refused };
    const tool = offered.has(call.name) ? tools.get(call.name) : undefined;
    if (tool === undefined) return call;
    return {
      ...call,
      timeout_ms: tool.timeoutMs,
      ...(tool.local ? { local: true } : {}),
      ...((await needsApproval(tool, call, asking)) ? { approval: true } : {}),
    };
  });
  return withFewLocal(await Promise.all(planned));
}

/** Arguments that do not fit are told to the model without asking anybody. A question that fails is answered with yes. */
async function needsApproval(
  tool: Tool,
  { arguments: given }: ToolCall,
  { withinMs = ASKING_MS, warn }: Asking,
): Promise<boolean> {
  if (tool.needsApproval === false || !isJsonObject(given)) return false;
  try {
    return await answeredWithin(askedOf(tool, given), withinMs);
  } catch (error) {
    const reason = errorMessage(error).slice(0, 500);
    warn(`A call of ${tool.name} waits for approval, since whether it needs one is not known: ${reason}`);
    return true;
  }
}

async function askedOf({ needsApproval: asks, check }: Tool, given: JsonObject): Promise<boolean> {
  const checked = await check(given);
  if ("issues" in checked) return false;
  return typeof asks === "function" ? asks(checked.value as never) : asks;
}

/** Tools by name. One tool given twice is one tool. */
export function toolsByName(
  tools: readonly Tool[],
  twice: (name: string) => Error,
): ReadonlyMap<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const other = named.get(tool.name);
    if (other !== undefined && other !== tool) throw twice(tool.name);
    named.set(tool.name, tool);
  }
  return named;
}
