/** The work of one call to a provider: the same on the main loop and in a thread, so that a large call cannot differ from a small one. */
import { storeMessages } from "../connection/store-media.js";
import type { AgentSpec } from "../core/agent.js";
import type { CallModelInput, CallModelResult } from "../core/conversation/activity-contract.js";
import { foreignMessages, type ServedRange } from "../core/conversation/provenance.js";
import { historyIndex, type Sent, sendWindow } from "../core/conversation/send-window.js";
import type { EndpointAttachments } from "../core/dialects/attachment-types.js";
import type { Dialect } from "../core/dialects/dialect.js";
import { dialectFor } from "../core/dialects/index.js";
import { type MendedHistory, mendHistory } from "../core/dialects/mend-history.js";
import { resultMessages } from "../core/dialects/result-messages.js";
import { withUsualTypes } from "../core/dialects/usual-types.js";
import type { Envelope, MediaReportEntry, NativeMessage, Prefix } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { checkStructure } from "../core/envelope/structure.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { extendRoot } from "../core/hash.js";
import type { JsonObject } from "../core/json.js";
import type { MediaStore } from "../core/media/media-store.js";
import { resolveModel } from "../core/providers.js";
import { blamingAttachments } from "../providers/blame-attachment.js";
import type { ModelReply, ModelRequest } from "../providers/provider.js";
import type { Providers } from "../providers/providers.js";
import { CallDeadline } from "./call-deadline.js";
import { type Loaded, loadMedia } from "./load-media.js";
import { type FileSubstitutes, referFiles } from "./refer-files.js";
import { assertRequestTaken } from "./request-limits.js";

/** Most entries of what was mended that a result names: it goes into an event, each turn anew. */
const MENDED_ENTRIES = 20;

/** What to do, as data that may cross to a thread. */
export interface CallTask {
  readonly agent: AgentSpec;
  readonly system: string | null;
  readonly served: readonly ServedRange[];
  readonly input: CallModelInput;
  readonly attempt: number;
  readonly simulated: boolean;
  /** How long the provider may take, in milliseconds. */
  readonly callMs: number;
  /** JSON Schema that the final answer has to fit. */
  readonly output?: JsonObject;
  /** What stands in the request for files that the provider keeps. */
  readonly files?: FileSubstitutes;
  /** Types of files that the endpoint takes besides. */
  readonly endpoints?: EndpointAttachments;
  /** How many calls the budget allows, where it limits them. */
  readonly callsLeft?: number;
  /** What the send window has left out of the history already, which is then not cut again. */
  readonly cut?: Cut;
}

type Cut = Omit<Sent, "messages">;

/** What it is done with, and who hears of it. */
export interface CallPorts {
  readonly providers: Providers;
  readonly mediaStore: Pick<MediaStore, "get" | "getStream"> & Partial<Pick<MediaStore, "put">>;
  readonly signal: AbortSignal;
  /** The provider is about to be called. */
  onCalling(): void;
  onText(text: string): void;
  onReasoning(text: string): void;
}

/** All of the result but the count of calls, which the activity keeps. */
export type PerformedCall = Omit<CallModelResult, "provider_calls">;

/** @throws ProviderFailure, MissingKeyError, a refusal of the turn before anything was called, or the signal's reason. */
export async function performCall(
  task: CallTask,
  history: readonly NativeMessage[],
  ports: CallPorts,
): Promise<PerformedCall> {
  const { mediaStore, signal } = ports;
  const prepared = toSend(task, history);
  const { added, sent } = prepared;
  const { provider } = resolveModel(task.agent.model);
  const reader = { provider, endpoints: task.endpoints };
  const loading = { ...sent, turnFrom: sent.messages.length - added.length, signal };
  const loaded = await loadMedia(mediaStore, reader, loading);
  return callOnce(task, { ...prepared, loaded }, ports).catch(async (error: unknown) => {
    if (!(error instanceof ProviderFailure) || error.kind !== "attachment_refused") throw error;
    if (task.callsLeft !== undefined && task.callsLeft < 2) throw error;
    const whole = await loadMedia(mediaStore, reader, { ...loading, wholeOnly: true });
    if (whole.report.length === loaded.report.length) throw error;
    return callOnce(task, { ...prepared, loaded: whole }, ports);
  });
}

interface Prepared extends ToSend {
  readonly loaded: Loaded;
}

async function callOnce(
  task: CallTask,
  { dialect, added, sent, loaded: { messages, report } }: Prepared,
  ports: CallPorts,
): Promise<PerformedCall> {
  const { agent, callMs } = task;
  const { provider: name, model } = resolveModel(agent.model);
  const provider = await ports.providers.get(name);
  const { mediaStore } = ports;
  const turnFrom = sent.messages.length - added.length;
  const names = (task.input.user?.files ?? []).map((file) => file.name);
  await assertRequestTaken({ messages, turnFrom, names }, { provider: name, model: agent.model });
  const mended = mendHistory(dialect.name, messages);
  const foreign = foreignIn(mended, foreignMessages(task.served, agent.model, sent.leftOut));
  const request: ModelRequest = {
    model,
    instructions: agent.instructions,
    system: task.system,
    tools: agent.tools,
    // A call that is demanded is demanded once a turn: else no turn would ever end.
    params: task.input.round === undefined ? agent.params : dialect.withFreeToolChoice(agent.params),
    messages: withUsualTypes(mended.messages),
    ...(foreign.size === 0 ? {} : { foreign }),
    ...(task.output === undefined ? {} : { output: task.output }),
  };
  ports.onCalling();
  const { onText, onReasoning } = ports;
  using deadline = new CallDeadline(ports.signal, callMs);
  const { signal } = deadline;
  const reply = await provider.call(request, { signal, onText, onReasoning }).catch((error: unknown) => {
    if (deadline.isOver && !ports.signal.aborted) throw callTimeout(name, model, callMs);
    throw blamingAttachments(error, names);
  });
  assertKeepable(reply, agent.model, dialect);
  const kept = await withoutMedia(dialect, reply, mediaStore);
  return resultOf(task, { dialect, ...kept, added, report, sent, mended: mended.report });
}

/** Mending may add and take away messages. */
function foreignIn({ from }: MendedHistory, sent: ReadonlySet<number>): ReadonlySet<number> {
  if (sent.size === 0) return sent;
  return new Set(from.flatMap((index, place) => (index !== undefined && sent.has(index) ? [place] : [])));
}

/** Media that the model made go into the store. Where that cannot be, they stay in the answer: it has been paid for. */
async function withoutMedia(
  dialect: Dialect,
  reply: ModelReply,
  store: CallPorts["mediaStore"],
): Promise<Pick<Answer, "reply" | "media">> {
  if (!canPut(store)) return { reply, media: {} };
  try {
    const { messages, media } = await storeMessages(dialect, reply.messages, store);
    return { reply: { ...reply, messages }, media };
  } catch {
    return { reply, media: {} };
  }
}

function canPut(store: CallPorts["mediaStore"]): store is Pick<MediaStore, "get" | "put"> {
  return store.put !== undefined;
}

interface ToSend {
  readonly dialect: Dialect;
  /** What the turn adds to the history before the call. */
  readonly added: readonly NativeMessage[];
  readonly sent: Sent;
}

/** What the call sends of the history, media as markers, files that the provider keeps by their address. */
export function toSend(task: CallTask, history: readonly NativeMessage[]): ToSend {
  const { dialect, added, sent } = withinWindow(task, history);
  return { dialect, added, sent: { ...sent, messages: referFiles(dialect, sent.messages, task.files) } };
}

/** The task over that part of the history which its send window lets through: the rest need not go where the call is made. */
export function cutToWindow(
  task: CallTask,
  history: readonly NativeMessage[],
): { readonly task: CallTask; readonly messages: readonly NativeMessage[] } {
  if (task.agent.send_window === undefined) return { task, messages: history };
  const { added, sent } = withinWindow(task, history);
  const { messages, ...cut } = sent;
  return { task: { ...task, cut }, messages: messages.slice(0, messages.length - added.length) };
}

function withinWindow(task: CallTask, history: readonly NativeMessage[]): ToSend {
  const { agent, input, cut } = task;
  const dialect = dialectFor(resolveModel(agent.model).provider);
  const added = input.user === undefined ? resultsOf(agent.model, input) : userMessages(dialect, input.user);
  const sent =
    cut === undefined
      ? sendWindow(dialect, history, agent.send_window, added)
      : { ...cut, messages: [...history, ...added] };
  return { dialect, added, sent };
}

function resultsOf(model: string, { results = [] }: CallModelInput): readonly NativeMessage[] {
  return resultMessages(resolveModel(model), results);
}

function userMessages(dialect: Dialect, user: NonNullable<CallModelInput["user"]>): readonly NativeMessage[] {
  const files = (user.files ?? []).map(({ mime_type, name, marker }) => ({ mime_type, name, data: marker }));
  return [dialect.userMessage(user.text, files)];
}

function callTimeout(provider: string, model: string, callMs: number): ProviderFailure {
  const bound = callMs < 60_000 ? `${callMs / 1_000} seconds` : `${Math.round(callMs / 60_000)} minutes`;
  return new ProviderFailure(
    "timeout",
    `${provider} (${model}) did not finish its answer within ${bound}. Send the message again.`,
  );
}

interface Answer {
  readonly dialect: Dialect;
  readonly reply: ModelReply;
  /** Of what the model made. */
  readonly media: Envelope["media"];
  readonly added: readonly NativeMessage[];
  /** Of media that the request went without. */
  readonly report: readonly MediaReportEntry[];
  readonly sent: Sent;
  /** Of faults that were mended in the request. */
  readonly mended: MendedHistory["report"];
}

function resultOf(
  { agent, input, attempt, simulated }: CallTask,
  { dialect, reply, media, added, report, sent, mended }: Answer,
): PerformedCall {
  const messages = [...added, ...reply.messages];
  const prefix = changedPrefix(input, agent);
  return {
    messages,
    root: extendRoot(input.root, messages),
    model: reply.model === "" ? resolveModel(agent.model).model : reply.model,
    endpoint: dialect.capabilities.endpoint,
    usage: reply.usage,
    raw_usage: reply.raw_usage,
    finish_reason: reply.finish_reason,
    attempt,
    ...(simulated ? { simulated: true as const } : {}),
    ...(Object.keys(media).length === 0 ? {} : { media }),
    ...(report.length === 0 ? {} : { media_report: report }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(sent.turnsLeftOut === 0 ? {} : { turns_left_out: sent.turnsLeftOut }),
    ...(mended.length === 0 ? {} : { request_mended: mendedInHistory(sent, mended) }),
  };
}

function mendedInHistory(sent: Sent, report: MendedHistory["report"]): MendedHistory["report"] {
  const first = report.slice(0, MENDED_ENTRIES);
  return first.map((entry) => ({ ...entry, index: historyIndex(sent, entry.index) }));
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
    unsafe === undefined
      ? `${invalid?.path}: not ${invalid?.expected}`
      : `${unsafe.path}: ${unsafe.found === "more" ? `not ${unsafe.expected}` : unsafe.found}`;
  const said = `${model} answered with something that cannot be kept (${what}).`;
  // A model that nests so deep was led to it: the same call would only be paid for again.
  if (unsafe?.found === "more")
    throw new ProviderFailure(
      "unkeepable_reply",
      `${said} It is nested too deep: ask for a flatter answer, or give the tool a flatter input.`,
    );
  throw new ProviderFailure("malformed_reply", `${said} Send the message again.`);
}
