/** The history and the agent of a turn: from this worker's cache, else from the conversation itself by query. */
import type { Client } from "@temporalio/client";
import { readPages } from "../connection/read-pages.js";
import type { AgentContext, CallModelInput } from "../core/conversation/activity-contract.js";
import type { MediaEntry, NativeMessage } from "../core/envelope/envelope.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import * as m from "../workflows/messages.js";
import { activityFailure } from "./activity-failure.js";
import type { TranscriptCache } from "./transcript-cache.js";

const QUERY_DEADLINE_MS = 10_000;

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
  const messages = cache.messages(input.root) ?? (await queryMessages(cache, client, input));
  const context = cache.agent(input.agent) ?? (await queryAgent(cache, client, input));
  return { ...context, messages, media: () => readMedia(cache, client, input) };
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
  input: CallModelInput,
): Promise<readonly NativeMessage[]> {
  let bytes = 0;
  const measure = (page: unknown): void => {
    bytes += jsonByteLength(page);
  };
  const messages = (await query(client, input, { measure })) as readonly NativeMessage[];
  cache.keepMeasured(input.root, messages, bytes);
  return messages;
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

/** Each page says which history it is of: one that has moved on belongs to another turn than this activity's. */
function query(
  client: Client,
  input: CallModelInput,
  { measure, ...wanted }: Pick<m.TranscriptRequest, "agent" | "media"> & { measure?(page: unknown): void },
): Promise<readonly m.TranscriptEntry[]> {
  const handle = client.workflow.getHandle(input.conversation_id, input.run_id);
  return readPages(async (request) => {
    const page = await client.connection.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
      handle.query(m.transcript, { ...request, ...wanted }),
    );
    if (page.root.digest !== input.root.digest) {
      throw activityFailure("worker.stale", "The conversation has moved on without this call.", {
        retryable: false,
      });
    }
    measure?.(page.entries);
    return page;
  });
}
