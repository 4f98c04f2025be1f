/** One call to the provider for a turn: whether it may be made, and where its work is done. */
import { Context } from "@temporalio/activity";
import type { AgentSpec } from "../core/agent.js";
import type { CallModelInput, CallModelResult } from "../core/conversation/activity-contract.js";
import type { EndpointAttachments } from "../core/dialects/attachment-types.js";
import type { FileReader } from "../core/dialects/check-attachment.js";
import { dialectFor } from "../core/dialects/index.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { type ProviderName, resolveModel } from "../core/providers.js";
import { usesOwnDispatcher } from "../providers/patient-fetch.js";
import { callWithFiles, type FileCall } from "./call-with-files.js";
import type { ActivityDependencies } from "./dependencies.js";
import { estimateTokens } from "./estimate-tokens.js";
import { HEAVY_BYTES, HEAVY_HISTORY_BYTES } from "./heavy-bytes.js";
import { historyWeight, jsonWeight } from "./json-weight.js";
import { mediaKeys } from "./load-media.js";
import { askedOutput } from "./output/asked-output.js";
import { verdictOn } from "./output/verdict-on.js";
import {
  type CallPorts,
  type CallTask,
  cutToWindow,
  type PerformedCall,
  performCall,
  toSend,
} from "./perform-call.js";
import type { Transcript } from "./read-transcript.js";
import { assertFilesTaken } from "./request-limits.js";
import { fullText } from "./run-bounds.js";
import { ReadBlobs } from "./threads/read-blobs.js";
import type { WorkThreads } from "./threads/work-threads.js";
import { assertTools, planCalls, withDefinitions } from "./tools/plan-calls.js";
import { pushToolCalls } from "./tools/tool-frames.js";
import { TurnBudget } from "./turn-budget.js";
import type { TurnFrames } from "./turn-frames.js";

export interface ModelCall {
  readonly input: CallModelInput;
  readonly transcript: Transcript;
  readonly frames: TurnFrames;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Calls that earlier attempts have made. */
  readonly earlierCalls?: number;
  /** Told when the provider is about to be called, so that the call counts even if this process dies in it. */
  onCall(): number;
}

export interface Answered {
  readonly provider: ProviderName;
  readonly result: CallModelResult;
}

/** @throws ProviderFailure, MissingKeyError, or a refusal of the turn before anything was called. */
export async function callProvider(dependencies: ActivityDependencies, call: ModelCall): Promise<Answered> {
  const wanted = deployedAgent(dependencies, call.transcript.agent);
  const agent = withDefinitions(dependencies.tools, wanted);
  const { provider, model } = resolveModel(agent.model);
  const { simulated, attachments = [] } = dependencies.providerSettings[provider];
  const endpoints: EndpointAttachments = { [provider]: attachments };
  assertTaken(dependencies, call.input, { provider, model: agent.model, endpoints }, agent);
  const output = askedOutput(call.input.output_schema ?? agent.output_schema);
  const { callMs } = dependencies.bounds;
  const { input, frames, signal } = call;
  const budget = new TurnBudget(input, agent, {
    prices: dependencies.prices,
    deployed: isDeployed(dependencies, wanted),
  });
  const asked = { endpoints, ...(output === undefined ? {} : { output: output.schema }) };
  const { task, transcript } = cutCall(call, { agent, simulated, callMs, ...asked });
  let calls = call.earlierCalls ?? 0;
  budget.assertCall(calls, 1);
  const ports: CallPorts = {
    providers: dependencies.providers,
    mediaStore: dependencies.mediaStore,
    signal,
    onCalling: () => {
      frames.push({ type: "attempt", provider, model, simulated });
      calls = call.onCall();
    },
    onText: (text) => frames.push({ type: "text", text }),
    onReasoning: (text) => frames.push({ type: "reasoning", text }),
  };
  const { messages } = transcript;
  const bounded = within(budget, messages, () => calls);
  const performed = await callWithFiles(dependencies, { task, transcript, ports }, async (own) =>
    performWhereItFits(dependencies, { task: bounded(own), messages, ports }),
  ).catch((error: unknown) => {
    throw budget.afterFailure(error, calls);
  });
  const cost = budget.cost(performed.usage);
  const tools = await toolsOf(dependencies, { agent, performed, input, budget, calls });
  const result = {
    ...performed,
    ...(cost === undefined ? {} : { cost }),
    provider_calls: calls,
    ...tools,
    ...(await verdictOn(output, { input, performed, provider, tools })),
  };
  pushToolCalls(frames, result.tool_calls ?? [], input.before?.asked_calls ?? 0);
  const isCompletion = performed.prefix !== undefined && prefixOf(wanted).fingerprint === input.prefix;
  return { provider, result: { ...result, ...(isCompletion ? { prefix_completed: true } : {}) } };
}

/** The call over what its send window lets through: a long history is not weighed, or copied to a thread, for its last turns. */
function cutCall(
  { input, attempt, transcript }: ModelCall,
  asked: Pick<CallTask, "agent" | "simulated" | "callMs" | "endpoints" | "output">,
): Pick<FileCall, "task" | "transcript"> {
  const { system, served } = transcript;
  const { task, messages } = cutToWindow({ ...asked, system, served, input, attempt }, transcript.messages);
  return { task, transcript: { ...transcript, messages } };
}

/** @throws a refusal of the turn for a file that the model does not take, and for a tool that this worker does not have. */
function assertTaken(
  { tools }: ActivityDependencies,
  { user }: CallModelInput,
  reader: FileReader,
  agent: AgentSpec,
): void {
  assertFilesTaken(user?.files ?? [], reader);
  assertTools(tools, agent);
}

interface Reply {
  readonly agent: AgentSpec;
  readonly performed: PerformedCall;
  readonly input: CallModelInput;
  readonly budget: TurnBudget;
  readonly calls: number;
}

/** The calls that the reply leaves open, and whether that is one round too many, or more than the run or the budget allows. */
async function toolsOf(
  { tools, bounds }: ActivityDependencies,
  { agent, performed, input: { round = 0, run_length }, budget, calls }: Reply,
): Promise<Pick<CallModelResult, "tool_calls" | "round_limit" | "run_full" | "over_budget">> {
  const open = dialectFor(resolveModel(agent.model).provider).openToolCalls(performed.messages);
  if (open.length === 0) return {};
  const tool_calls = await planCalls(tools, agent, open, {
    warn: (text) => Context.current().log.warn(text),
  });
  if (round >= bounds.toolRounds) return { tool_calls, round_limit: bounds.toolRounds };
  const run_full = fullText(run_length, bounds);
  if (run_full !== undefined) return { tool_calls, run_full };
  const over_budget = budget.afterAnswer(performed.usage, calls);
  return { tool_calls, ...(over_budget === undefined ? {} : { over_budget }) };
}

/** The task that may be done after so many calls, told how many more it may make. @throws OverBudgetError for none. */
function within(
  budget: TurnBudget,
  messages: readonly NativeMessage[],
  calls: () => number,
): (task: CallTask) => CallTask {
  return (task) => {
    budget.assertCall(calls(), budget.needsTokens ? tokensOf(budget, task, messages) : 1);
    const callsLeft = budget.callsLeft(calls());
    return callsLeft === undefined ? task : { ...task, callsLeft };
  };
}

/** About how many the request holds at the least. */
function tokensOf(budget: TurnBudget, task: CallTask, messages: readonly NativeMessage[]): number {
  const { agent, system } = task;
  const { sent, added } = toSend(task, messages);
  return budget.leastTokens(
    () => estimateTokens([agent.instructions, system, JSON.stringify(agent.tools), ...sent.messages]),
    () => estimateTokens(added),
  );
}

interface Work {
  readonly task: CallTask;
  readonly messages: readonly NativeMessage[];
  readonly ports: CallPorts;
}

/** Here where the call is small; what is above 1 MiB, or 8 of history, would keep the loop from beating, so it is done in a thread. */
async function performWhereItFits({ threads }: ActivityDependencies, work: Work): Promise<PerformedCall> {
  // A dispatcher that the host has set, for a proxy say, is known to this thread only.
  if (threads === undefined || usesOwnDispatcher()) return performCall(work.task, work.messages, work.ports);
  const { task, messages, ports } = work;
  const weight = jsonWeight(task, HEAVY_BYTES);
  if (weight > HEAVY_BYTES || historyWeight(messages) > HEAVY_HISTORY_BYTES) return inThread(threads, work);
  const { dialect, sent } = toSend(task, messages);
  const limit = HEAVY_BYTES - weight;
  const { mediaStore, signal } = ports;
  const blobs = await ReadBlobs.read(mediaStore, mediaKeys(dialect, sent.messages), { limit, signal });
  const ahead = { task, messages, ports: { ...ports, mediaStore: blobs } };
  return blobs.bytes > limit ? inThread(threads, ahead) : performCall(task, messages, ahead.ports);
}

function inThread(threads: WorkThreads, { task, messages, ports }: Work): Promise<PerformedCall> {
  const { mediaStore, signal, onCalling, onText, onReasoning } = ports;
  return threads.run("callModel", task, messages, {
    mediaStore,
    signal,
    onEvent: (event) => {
      if (event.type === "calling") onCalling();
      else if (event.type === "text") onText(event.text);
      else onReasoning(event.text);
    },
  });
}

function isDeployed({ agents }: ActivityDependencies, { name }: AgentSpec): boolean {
  return name !== undefined && agents.has(name);
}

/** Instructions, tools and params follow the agent deployed under the same name; the model stays the conversation's. */
function deployedAgent({ agents }: ActivityDependencies, asked: AgentSpec): AgentSpec {
  const deployed = asked.name === undefined ? undefined : agents.get(asked.name)?.spec;
  return deployed === undefined ? asked : { ...deployed, model: asked.model };
}
