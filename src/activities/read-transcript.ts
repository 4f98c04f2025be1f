/** The history and the agent of a turn: from this worker's cache, else from the conversation itself. */
import { setImmediate } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { readPages } from "../connection/read-pages.js";
import type { AgentContext, CallModelInput, Root } from "../core/conversation/activity-contract.js";
import type { MediaEntry, NativeMessage } from "../core/envelope/envelope.js";
import { extendRoot } from "../core/hash.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import * as m from "../workflows/messages.js";
import { activityFailure } from "./activity-failure.js";
import { hedge } from "./hedge.js";
import { recordedTranscript } from "./recorded-transcript.js";
import { type RunBeginning, readRunBeginning } from "./run-beginning.js";
import type { TranscriptCache } from "./transcript-cache.js";

/** Between so many messages the loop is free. */
const HASHED_AT_ONCE = 64;

/** So many messages are seldom one page: how the run began is then asked for beside the first. */
const LIKELY_PAGES = 100;

/**
 * A query that is held back so long is likely to be for seconds: with a workflow task that lies with a worker which has died. Then the
 * event history is read beside it.
 */
export const HELD_BACK_MS = 500;

export type MediaTable = Readonly<Record<string, MediaEntry>>;

export interface Transcript extends AgentContext {
  readonly messages: readonly NativeMessage[];
  /** What the conversation knows of its media. Asked for only where a provider keeps files. */
  media?(): Promise<MediaTable>;
}

export async function readTranscript(
  cache: TranscriptCache,
  client: Client,
  input: CallModelInput,
): Promise<Transcript> {
  const messages = cache.messages(input.root);
  const context = cache.agent(input.agent);
  const known =
    messages !== undefined && context !== undefined
      ? { messages, context }
      : await readTranscriptOf(cache, client, input);
  return { ...known.context, messages: known.messages, media: () => readMedia(cache, client, input) };
}

interface ReadTranscript {
  readonly messages: readonly NativeMessage[];
  readonly context: AgentContext;
}

/** How the run began, read once for everybody who asks. */
type Beginning = () => Promise<RunBeginning | undefined>;

function readTranscriptOf(
  cache: TranscriptCache,
  client: Client,
  input: CallModelInput,
): Promise<ReadTranscript> {
  let read: ReturnType<Beginning> | undefined;
  const beginning: Beginning = () => {
    read ??= readRunBeginning(client, input).catch(() => undefined);
    return read;
  };
  return hedge(askTranscript(cache, client, { input, beginning }), HELD_BACK_MS, () =>
    readRecorded(cache, client, { input, beginning }),
  );
}

interface Wanted {
  readonly input: CallModelInput;
  readonly beginning: Beginning;
}

/** By query, what is not in the cache. */
async function askTranscript(
  cache: TranscriptCache,
  client: Client,
  { input, beginning }: Wanted,
): Promise<ReadTranscript> {
  const [messages, context] = await Promise.all([
    cache.messages(input.root) ?? queryMessages(cache, client, { input, beginning }),
    cache.agent(input.agent) ?? queryAgent(cache, client, input),
  ]);
  return { messages, context };
}

async function readRecorded(
  cache: TranscriptCache,
  client: Client,
  { input, beginning }: Wanted,
): Promise<ReadTranscript | undefined> {
  const recorded = await recordedTranscript(client, input, beginning);
  if (recorded === undefined) return undefined;
  cache.keepMeasured(input.root, recorded.messages, recorded.bytes);
  cache.keepAgent(input.agent, recorded.context);
  return recorded;
}

async function readMedia(cache: TranscriptCache, client: Client, input: CallModelInput): Promise<MediaTable> {
  const known = cache.media(input.run_id, input.root);
  if (known !== undefined) return known;
  const entries = await query(client, input, { media: true });
  // A workflow worker of an earlier release, which may run beside this one, answers with messages.
  const table = Object.fromEntries(entries.filter((entry) => Array.isArray(entry)) as readonly MediaPair[]);
  cache.keepMedia(input.run_id, input.root, table);
  return table;
}

type MediaPair = readonly [sha256: string, entry: MediaEntry];

async function queryMessages(
  cache: TranscriptCache,
  client: Client,
  { input, beginning }: Wanted,
): Promise<readonly NativeMessage[]> {
  if (input.root.count >= LIKELY_PAGES) void beginning();
  const first = await queryPage(client, input, { from: 0 });
  const { messages, bytes } =
    (first.next === null ? undefined : await readFromBeginning(client, input, await beginning())) ??
    (await readMessages(client, input, { from: 0, first }));
  cache.keepMeasured(input.root, messages, bytes);
  return messages;
}

interface MeasuredMessages {
  readonly messages: readonly NativeMessage[];
  /** As JSON, counted page by page: a long history at once would block the loop. */
  readonly bytes: number;
}

/**
 * What the run began with, and by query what has come since. That the two are one history is shown by the hash chain, which
 * breaks where the conversation was converted meanwhile. Undefined where it breaks or the beginning cannot be had.
 */
async function readFromBeginning(
  client: Client,
  input: CallModelInput,
  beginning: RunBeginning | undefined,
): Promise<MeasuredMessages | undefined> {
  if (beginning === undefined) return undefined;
  const since = await readMessages(client, input, { from: beginning.root.count });
  const root = await extended(beginning.root, since.messages);
  if (root.digest !== input.root.digest) return undefined;
  return {
    messages: [...beginning.messages, ...since.messages],
    bytes: beginning.bytes + since.bytes,
  };
}

async function extended(root: Root, messages: readonly NativeMessage[]): Promise<Root> {
  let after = root;
  for (let at = 0; at < messages.length; at += HASHED_AT_ONCE) {
    after = extendRoot(after, messages.slice(at, at + HASHED_AT_ONCE));
    await setImmediate();
  }
  return after;
}

/** `first` is the page at `from`, where it is known already. */
async function readMessages(
  client: Client,
  input: CallModelInput,
  { from, first }: { readonly from: number; readonly first?: m.TranscriptPage },
): Promise<MeasuredMessages> {
  let bytes = 0;
  let known = first;
  const messages = await readPages(async (request) => {
    const page = known ?? (await queryPage(client, input, request));
    known = undefined;
    bytes += jsonByteLength(page.entries);
    return page;
  }, from);
  return { messages: messages as readonly NativeMessage[], bytes };
}

async function queryAgent(
  cache: TranscriptCache,
  client: Client,
  input: CallModelInput,
): Promise<AgentContext> {
  const [answer] = (await query(client, input, { agent: true })) as readonly Partial<AgentContext>[];
  if (answer?.agent === undefined) throw new Error("The conversation named no agent.");
  // A workflow worker of an earlier release, which may run beside this one, does not tell who served what.
  const context = { agent: answer.agent, system: answer.system ?? null, served: answer.served ?? [] };
  cache.keepAgent(input.agent, context);
  return context;
}

function query(
  client: Client,
  input: CallModelInput,
  wanted: Pick<m.TranscriptRequest, "agent" | "media">,
): Promise<readonly m.TranscriptEntry[]> {
  return readPages((request) => queryPage(client, input, { ...request, ...wanted }));
}

/** Each page says which history it is of: one that has moved on belongs to another turn than this activity's. */
async function queryPage(
  client: Client,
  input: CallModelInput,
  request: m.TranscriptRequest,
): Promise<m.TranscriptPage> {
  const handle = client.workflow.getHandle(input.conversation_id, input.run_id);
  const page = await handle.query(m.transcript, request);
  if (page.root.digest !== input.root.digest) {
    throw activityFailure("worker.stale", "The conversation has moved on without this call.", {
      retryable: false,
    });
  }
  return page;
}
