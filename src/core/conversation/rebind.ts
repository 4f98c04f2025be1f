/** Continuing a live conversation on another agent or model, in place. */
import type { AgentSpec } from "../agent.js";
import { dialectFor } from "../dialects/index.js";
import { checkAgent } from "../envelope/check-agent.js";
import type { Envelope, ServedModel, TurnIndexEntry } from "../envelope/envelope.js";
import { checkStructure } from "../envelope/structure.js";
import { isJsonObject } from "../json.js";
import { dialectOf, resolveModel } from "../providers.js";
import type { ConvertConversationInput, ConvertedConversation, ResolvedAgent } from "./activity-contract.js";
import { cutTurns } from "./cut-turns.js";
import { envelopeOf } from "./export.js";
import type { RebindRequest } from "./messages.js";
import { grown } from "./segment.js";
import type { ConversationState } from "./state.js";
import { EMPTY_SEGMENT, withHead } from "./state.js";

/** The agent that a request asks for: a whole definition replaces the agent, a model's name alone keeps the rest of it. */
export function reboundAgent(current: AgentSpec, wanted: RebindRequest["agent"]): AgentSpec {
  if (wanted.instructions === undefined)
    return { ...current, ...paramsFor(current, wanted.model), ...wanted };
  return { tools: [], params: {}, ...wanted, instructions: wanted.instructions };
}

/** Parameters are in the provider's own names: another one would refuse them. */
function paramsFor(current: AgentSpec, model: string): Partial<AgentSpec> {
  return resolveModel(current.model).dialect === resolveModel(model).dialect ? {} : { params: {} };
}

/**
 * What is wrong with the shape of a rebind, in one line; undefined where nothing is. The agent goes into the envelope,
 * so it must be one that an envelope takes.
 */
export function rebindShapeIssue(current: AgentSpec, request: unknown): string | undefined {
  const wanted = isJsonObject(request) ? request.agent : undefined;
  if (!isJsonObject(request) || !isJsonObject(wanted) || typeof wanted.model !== "string")
    return "rebind takes {agent: {model, instructions?, tools?, params?}, convert?}.";
  if (request.convert !== undefined && typeof request.convert !== "boolean")
    return "rebind: `convert`: expected true or false.";
  const unknown = unknownModel(wanted.model);
  if (unknown !== undefined) return unknown;
  const agent = reboundAgent(current, wanted as unknown as RebindRequest["agent"]);
  const issue = checkAgent(agent, "agent")[0] ?? checkStructure({ agent });
  if (issue !== undefined)
    return `rebind: \`${issue.path}\`: expected ${issue.expected}, found ${issue.found}.`;
  return undefined;
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
export function rebindIssue(state: ConversationState): string | undefined {
  const { conversation_id: id, closing } = state.head;
  if (closing) return `Conversation ${id} is closed: import its envelope under the other model instead.`;
  if (state.running !== null || state.head.queue.length > 0) {
    return `Conversation ${id} has a turn running or waiting: rebind when it has ended, or cancel it first.`;
  }
  return undefined;
}

/** What the worker is asked to convert. */
export function conversionInput(
  { head }: ConversationState,
  { agent, convert }: RebindRequest,
  run_id: string,
): ConvertConversationInput {
  return {
    conversation_id: head.conversation_id,
    run_id,
    agent: reboundAgent(head.agent, agent),
    ...(convert === false ? { convert } : {}),
  };
}

/** Whether the history must be converted for the model to continue it. */
export function crossesDialects({ head }: ConversationState, model: string): boolean {
  return dialectOf(head.provider) !== resolveModel(model).dialect;
}

/** The conversation under its new agent. Same dialect: the history is untouched. */
export function rebind(
  state: ConversationState,
  agent: AgentSpec,
  { prefix, agent_digest }: ResolvedAgent,
  now: string,
): ConversationState {
  const { provider, model } = resolveModel(agent.model);
  const moved = withHead(state, { agent, provider, model, prefix, agent_digest });
  return grown(moved, { served_models: [rebindEvent(state, agent, now)] });
}

/** The conversation under an agent of another dialect, its history replaced by the converted one, packed anew. */
export function rebindConverted(
  state: ConversationState,
  agent: AgentSpec,
  converted: ConvertedConversation,
  now: string,
): ConversationState {
  const { provider, model } = resolveModel(agent.model);
  const { prefix, agent_digest, system, converted_from, root } = converted;
  const head = { agent, provider, model, prefix, agent_digest, system, converted_from, root };
  const before = envelopeOf(state, now);
  const places = converted.turns.values();
  const envelope: Envelope = {
    ...before,
    messages: converted.messages,
    turn_index: before.turn_index.map((entry) => movedTurn(entry, places)),
    media: { ...before.media, ...converted.media },
    conversion_report: converted.report,
    attic: converted.attic,
  };
  const emptied: ConversationState = {
    ...withHead(state, { ...head, conversions: state.head.conversions + 1 }),
    segments: [],
    tail: EMPTY_SEGMENT,
    tailBytes: 0,
  };
  const packed = cutTurns(envelope, dialectFor(provider)).reduce(grown, emptied);
  return grown(packed, {
    media_report: before.media_report,
    served_models: [rebindEvent(state, agent, now)],
  });
}

function movedTurn(entry: TurnIndexEntry, places: Iterator<readonly [number, number]>): TurnIndexEntry {
  if (entry.state !== "committed") return entry;
  const place = places.next().value;
  return place === undefined ? entry : { ...entry, from: place[0], to: place[1] };
}

function rebindEvent({ head }: ConversationState, agent: AgentSpec, now: string): ServedModel {
  const { provider, model } = resolveModel(agent.model);
  const from = { provider: head.provider, model: head.model };
  return { event: "rebind", provider, model, at: now, turn: head.run_count, from };
}
