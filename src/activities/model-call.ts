/** One call to the provider for a turn: what is sent, and what of its answer goes into the event. */
import type { AgentSpec } from "../core/agent.js";
import type { CallModelInput, CallModelResult } from "../core/conversation/activity-contract.js";
import { foreignMessages } from "../core/conversation/provenance.js";
import { sendWindow } from "../core/conversation/send-window.js";
import type { Dialect } from "../core/dialects/dialect.js";
import { dialectFor } from "../core/dialects/index.js";
import type { NativeMessage, Prefix } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { checkStructure } from "../core/envelope/structure.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { extendRoot } from "../core/hash.js";
import { type ProviderName, resolveModel } from "../core/providers.js";
import type { ModelReply, ModelRequest } from "../providers/provider.js";
import { activityFailure } from "./activity-failure.js";
import type { ActivityDependencies } from "./dependencies.js";
import { loadMedia } from "./load-media.js";
import type { Transcript } from "./read-transcript.js";
import type { TurnFrames } from "./turn-frames.js";

export interface ModelCall {
  readonly input: CallModelInput;
  readonly transcript: Transcript;
  readonly frames: TurnFrames;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Told when the provider is about to be called, so that the call counts even if this process dies in it. */
  onCall(): number;
}

export interface Answered {
  readonly provider: ProviderName;
  readonly result: CallModelResult;
}

/** @throws ProviderFailure, MissingKeyError, or a refusal of the turn before anything was called. */
export async function callProvider(dependencies: ActivityDependencies, call: ModelCall): Promise<Answered> {
  const agent = deployedAgent(dependencies, call.transcript.agent);
  const { provider: name, model } = resolveModel(agent.model);
  const dialect = dialectFor(name);
  assertAttachments(dialect, call.input, agent.model);
  assertTools(agent);
  const provider = await dependencies.providers.get(name);
  const { simulated } = dependencies.providerSettings[name];
  const added = userMessages(dialect, call.input);
  const sent = sendWindow(dialect, [...call.transcript.messages, ...added], agent.send_window);
  const messages = await loadMedia(dependencies.mediaStore, dialect, sent.messages, call.signal);
  call.frames.push({ type: "attempt", provider: name, model, simulated });
  const calls = call.onCall();
  const bounded = AbortSignal.any([call.signal, AbortSignal.timeout(dependencies.bounds.callMs)]);
  const foreign = foreignMessages(call.transcript.served, agent.model, sent.leftOut);
  const request: ModelRequest = {
    model,
    instructions: agent.instructions,
    system: call.transcript.system,
    tools: agent.tools,
    params: agent.params,
    messages,
    ...(foreign.size === 0 ? {} : { foreign }),
  };
  const reply = await provider
    .call(request, {
      signal: bounded,
      onText: (text) => call.frames.push({ type: "text", text }),
      onReasoning: (text) => call.frames.push({ type: "reasoning", text }),
    })
    .catch((error: unknown) => {
      throw call.signal.aborted || !bounded.aborted
        ? error
        : callTimeout(name, model, dependencies.bounds.callMs);
    });
  return {
    provider: name,
    result: resultOf(call, {
      agent,
      dialect,
      reply,
      added,
      calls,
      simulated,
      turnsLeftOut: sent.turnsLeftOut,
    }),
  };
}

/** Instructions, tools and params follow the agent deployed under the same name; the model stays the conversation's. */
function deployedAgent({ agents }: ActivityDependencies, asked: AgentSpec): AgentSpec {
  const deployed = asked.name === undefined ? undefined : agents.get(asked.name)?.spec;
  return deployed === undefined ? asked : { ...deployed, model: asked.model };
}

function userMessages(dialect: Dialect, { user }: CallModelInput): readonly NativeMessage[] {
  if (user === undefined) return [];
  const files = (user.files ?? []).map(({ mime_type, name, marker }) => ({ mime_type, name, data: marker }));
  return [dialect.userMessage(user.text, files)];
}

function assertAttachments(dialect: Dialect, { user }: CallModelInput, model: string): void {
  const taken = dialect.capabilities.attachments;
  for (const { mime_type, name } of user?.files ?? []) {
    const family = `${mime_type.split("/")[0]}/*`;
    if (taken.includes(mime_type) || taken.includes(family)) continue;
    const text = `${model} does not take ${name} (${mime_type}): it takes ${taken.join(", ")}. Leave the file out or use another model.`;
    throw activityFailure("turn.refused", text, { retryable: false, details: ["attachment"] });
  }
}

/** No worker runs tools yet: an agent that has some would wait for results that nobody gives. */
function assertTools({ tools }: AgentSpec): void {
  const [first] = tools;
  if (first === undefined) return;
  const text = `This worker has no tool named ${first.name}: deploy a worker that registers it, or use an agent without it.`;
  throw activityFailure("turn.refused", text, { retryable: false, details: ["unknown_tool"] });
}

function callTimeout(provider: string, model: string, callMs: number): ProviderFailure {
  const bound = callMs < 60_000 ? `${callMs / 1_000} seconds` : `${Math.round(callMs / 60_000)} minutes`;
  return new ProviderFailure(
    "timeout",
    `${provider} (${model}) did not finish its answer within ${bound}. Send the message again.`,
  );
}

interface Answer {
  readonly agent: AgentSpec;
  readonly dialect: Dialect;
  readonly reply: ModelReply;
  readonly added: readonly NativeMessage[];
  readonly calls: number;
  readonly simulated: boolean;
  readonly turnsLeftOut: number;
}

function resultOf(
  call: ModelCall,
  { agent, dialect, reply, added, calls, simulated, turnsLeftOut }: Answer,
): CallModelResult {
  assertKeepable(reply, agent.model, dialect);
  const messages = [...added, ...reply.messages];
  const prefix = changedPrefix(call.input, agent);
  return {
    messages,
    root: extendRoot(call.input.root, messages),
    model: reply.model === "" ? resolveModel(agent.model).model : reply.model,
    endpoint: dialect.capabilities.endpoint,
    usage: reply.usage,
    raw_usage: reply.raw_usage,
    finish_reason: reply.finish_reason,
    attempt: call.attempt,
    provider_calls: calls,
    ...(simulated ? { simulated: true as const } : {}),
    ...(prefix === undefined ? {} : { prefix }),
    ...(turnsLeftOut === 0 ? {} : { turns_left_out: turnsLeftOut }),
  };
}

/** The prefix that was sent, where it is not the one of which the conversation knows. */
function changedPrefix({ prefix: known }: CallModelInput, sent: AgentSpec): Prefix | undefined {
  if (known === undefined) return undefined;
  const prefix = prefixOf(sent);
  return prefix.fingerprint === known ? undefined : prefix;
}

/** A reply that no envelope could hold (nested too deep, say) would make every later save of the conversation useless. */
function assertKeepable({ messages, raw_usage }: ModelReply, model: string, dialect: Dialect): void {
  const unsafe = checkStructure({ messages, raw_usage });
  const [invalid] = messages.flatMap((message, index) => dialect.checkMessage(message, index));
  if (unsafe === undefined && invalid === undefined) return;
  const what =
    unsafe === undefined ? `${invalid?.path}: not ${invalid?.expected}` : `${unsafe.path}: ${unsafe.found}`;
  const text = `${model} answered with something that cannot be kept (${what}). Send the message again.`;
  throw new ProviderFailure("malformed_reply", text);
}
