/** The transcript of a call from the event history alone: what its run began with, and what its calls have answered since. */
import { setImmediate } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import type { Payload } from "@temporalio/common";
import { valuesOf } from "../connection/payload-values.js";
import { eventsOfRun, type HistoryEvent } from "../connection/run-events.js";
import type { AgentContext, CallModelInput } from "../core/conversation/activity-contract.js";
import { servedRangesOf } from "../core/conversation/provenance.js";
import type { ConversationState } from "../core/conversation/state.js";
import { transcriptMessages, transcriptRoot } from "../core/conversation/transcript.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject } from "../core/json.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import { type RunBeginning, readRunBeginning } from "./run-beginning.js";

export interface RecordedTranscript {
  readonly messages: readonly NativeMessage[];
  /** Of the messages, as JSON. */
  readonly bytes: number;
  readonly context: AgentContext;
}

/**
 * Needs no worker that has the conversation: while a workflow task lies with one that has died, the server holds each query back.
 * Undefined where the history does not lead to the call: it was converted within the run, or another build wrote it.
 *
 * @param readBeginning where somebody has asked for the run's beginning already
 * @throws what the server, the payload store or a codec throws.
 */
export async function recordedTranscript(
  client: Client,
  input: CallModelInput,
  readBeginning: () => Promise<RunBeginning | undefined> = () => readRunBeginning(client, input),
): Promise<RecordedTranscript | undefined> {
  const [events, beginning] = await Promise.all([eventsOfRun(client, input), readBeginning()]);
  if (beginning === undefined) return undefined;
  const context =
    contextOf(beginning.state, input.agent) ?? (await reboundContext(client, events, input.agent));
  const since = await messagesSince(client, events, { state: beginning.state, input });
  if (context === undefined || since === undefined) return undefined;
  const { from, answers } = since;
  let bytes = beginning.bytes;
  for (const messages of answers) {
    bytes += jsonByteLength(messages);
    await setImmediate();
  }
  return { messages: [...from, ...answers.flat()], bytes, context };
}

function contextOf({ head, ...state }: ConversationState, digest: string): AgentContext | undefined {
  if (head.agent_digest !== digest) return undefined;
  const { agent, system } = head;
  return { agent, system, served: servedRangesOf({ head, ...state }, agent.model) };
}

/** The agent that a rebind within the run has brought. */
async function reboundContext(
  client: Client,
  events: readonly HistoryEvent[],
  digest: string,
): Promise<AgentContext | undefined> {
  const resolved = await endedActivities(client, events, "resolveAgent");
  const { input } = resolved.findLast(({ result }) => result.agent_digest === digest) ?? {};
  return isJsonObject(input?.agent) ? (input as unknown as AgentContext) : undefined;
}

interface Since {
  readonly from: readonly NativeMessage[];
  /** Of each call that led here, in order. */
  readonly answers: readonly (readonly NativeMessage[])[];
}

interface Answer {
  /** Digest of the history which the call went on with. */
  readonly after: string;
  readonly messages: readonly NativeMessage[];
}

/** From the call's root back to what the run began with: each answer names its own, and that of what it went on with. */
async function messagesSince(
  client: Client,
  events: readonly HistoryEvent[],
  { state, input }: { readonly state: ConversationState; readonly input: CallModelInput },
): Promise<Since | undefined> {
  const beginnings = new Map([
    // A carried turn that was given up: the next one goes on with what was committed.
    [state.head.root.digest, transcriptMessages({ ...state, running: null })],
    [transcriptRoot(state).digest, transcriptMessages(state)],
  ]);
  const answers = new Map<string, Answer>();
  for (const ended of await endedActivities(client, events, "callModel")) {
    const [root, after] = [digestIn(ended.result), digestIn(ended.input)];
    const { messages } = ended.result;
    if (root === undefined || after === undefined || !Array.isArray(messages)) continue;
    answers.set(root, { after, messages: messages as unknown as readonly NativeMessage[] });
  }
  const chain: (readonly NativeMessage[])[] = [];
  for (let at = input.root.digest; ; ) {
    const from = beginnings.get(at);
    if (from !== undefined) return { from, answers: chain.reverse() };
    const answer = answers.get(at);
    if (answer === undefined || chain.length === answers.size) return undefined;
    chain.push(answer.messages);
    at = answer.after;
  }
}

function digestIn({ root }: JsonObject): string | undefined {
  const digest = isJsonObject(root) ? root.digest : undefined;
  return typeof digest === "string" ? digest : undefined;
}

interface EndedActivity {
  readonly input: JsonObject;
  readonly result: JsonObject;
}

/** The activities of that name which have completed, in the order in which they did. */
async function endedActivities(
  client: Client,
  events: readonly HistoryEvent[],
  name: string,
): Promise<readonly EndedActivity[]> {
  const scheduled = new Map<string, Payload | undefined>();
  const payloads: Payload[] = [];
  for (const event of events) {
    const { activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
    if (activityType?.name === name) scheduled.set(String(event.eventId), input?.payloads?.[0]);
    const { scheduledEventId, result } = event.activityTaskCompletedEventAttributes ?? {};
    const given = scheduled.get(String(scheduledEventId));
    const [told] = result?.payloads ?? [];
    if (given !== undefined && told !== undefined) payloads.push(given, told);
  }
  const values = await valuesOf(client, payloads);
  const ended: EndedActivity[] = [];
  for (let at = 0; at < values.length; at += 2) {
    const [input, result] = values.slice(at, at + 2);
    if (isJsonObject(input) && isJsonObject(result)) ended.push({ input, result });
  }
  return ended;
}
