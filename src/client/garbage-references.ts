/** Which blobs the conversations need, open and closed. */
import { type Client, QueryNotRegisteredError, type WorkflowHandle } from "@temporalio/client";
import pLimit from "p-limit";
import type { ClosedConversations, KeptEnvelope } from "../connection/closed-conversations.js";
import { readPages } from "../connection/read-pages.js";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { cleanText } from "../core/errors/clean-text.js";
import {
  ConversationNotFoundError,
  EnvelopeDamagedError,
  ServerUnreachableError,
} from "../core/errors/errors.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { streamFrom } from "../media-stores/stream-from.js";
import * as m from "../workflows/messages.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import { unwrapFailure } from "./unwrap-failure.js";

const CONVERSATIONS_AT_ONCE = 8;
/** Each try takes milliseconds, a turn much longer. */
const MOST_TRIES = 50;
const DIGEST_LENGTH = 64;

/** One place where the last envelopes of closed conversations are kept. */
export interface KeptEnvelopes {
  readonly closed: ClosedConversations;
  readonly store: MediaStore;
}

/** What is needed, gathered in as many rounds as wanted: what was known stays. */
export class ConversationReferences {
  readonly #context: ClientContext;
  readonly #kept: readonly KeptEnvelopes[];
  readonly #digests = new Set<string>();
  readonly #open = new Set<string>();
  /** Keys of last envelopes that have been read. */
  readonly #read = new Set<string>();
  /** Runs of closed conversations without a last envelope that have been read. */
  readonly #unkept = new Set<string>();

  constructor(context: ClientContext, kept: readonly KeptEnvelopes[]) {
    this.#context = context;
    this.#kept = kept;
  }

  /** Hex SHA-256. */
  get digests(): ReadonlySet<string> {
    return this.#digests;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get closedCount(): number {
    return this.#read.size + this.#unkept.size;
  }

  /**
   * Reads every conversation that is open, then every one that was closed: one that is being closed meanwhile is found in one
   * of the two. One whose last envelope was not kept is read from the server, as long as that has it.
   *
   * @throws what reading a conversation throws, where one cannot be read.
   */
  async gather(): Promise<void> {
    const atOnce = pLimit(CONVERSATIONS_AT_ONCE);
    const open = await listed(this.#context.client, OPEN);
    try {
      await Promise.all(open.map((one) => atOnce(() => this.#addOpen(one))));
      for (const kept of this.#kept)
        for (const one of await kept.closed.keptEnvelopes()) await this.#addKept(one, kept);
      const closed = latestOfEach(await listed(this.#context.client, CLOSED));
      await Promise.all(closed.map((one) => atOnce(() => this.#addClosed(one))));
    } finally {
      atOnce.clearQueue();
    }
  }

  async #addOpen(run: ListedRun): Promise<void> {
    try {
      await this.#addReferences(run, this.#context.client.workflow.getHandle(run.id));
      this.#open.add(run.id);
    } catch (error) {
      // It was listed as open, and is gone: what is left of it is its last envelope.
      if (!(error instanceof ConversationNotFoundError)) throw error;
    }
  }

  async #addReferences({ id, taskQueue }: ListedRun, handle: WorkflowHandle): Promise<void> {
    const settings = { ...this.#context.settings, taskQueue };
    const context = { ...this.#context, settings };
    const read = (): Promise<readonly string[]> => readReferences(handle);
    const digests = await this.#context.queries.run(id, () => callConversation(context, id, read));
    for (const digest of digests) this.#digests.add(digest);
  }

  async #addClosed(run: ListedRun): Promise<void> {
    if (this.#unkept.has(run.runId) || (await this.#isKept(run))) return;
    try {
      await this.#addReferences(run, this.#context.client.workflow.getHandle(run.id, run.runId));
      this.#unkept.add(run.runId);
    } catch (error) {
      // The server has forgotten it: then nobody can open it any more.
      if (error instanceof ConversationNotFoundError || neverBegan(run, error)) return;
      throw error instanceof ServerUnreachableError ? error : unreadable(run, error);
    }
  }

  /** An envelope may be that of an earlier conversation of the same id. */
  async #isKept({ id, startTime }: ListedRun): Promise<boolean> {
    for (const { closed } of this.#kept) {
      const pointer = await closed.find(id);
      if (pointer !== undefined && Date.parse(pointer.closed_at) >= startTime.getTime()) return true;
    }
    return false;
  }

  async #addKept(one: KeptEnvelope, { closed, store }: KeptEnvelopes): Promise<void> {
    const { envelope: key } = one;
    if (this.#read.has(key)) return;
    const digests = await digestsOf(store, key).catch((error: unknown) => {
      throw error instanceof BlobDamagedError ? this.#unknownNeeds(one, closed, "is damaged", error) : error;
    });
    if (digests === undefined) throw this.#unknownNeeds(one, closed, "is not in its store");
    for (const digest of digests) this.#digests.add(digest);
    this.#digests.add(digestOfKey(key));
    this.#read.add(key);
  }

  /** Also where another store is looked through: saves of that conversation may have put media there. */
  #unknownNeeds(
    { conversation_id: id, envelope }: KeptEnvelope,
    closed: ClosedConversations,
    wrong: string,
    cause?: unknown,
  ): EnvelopeDamagedError {
    const giveUp =
      closed === this.#context.closed
        ? `give the conversation up with \`holdfast delete ${id} --yes\``
        : `delete ${closed.place(id)}, which names it`;
    return new EnvelopeDamagedError(
      `The last envelope of closed conversation ${id} (${envelope}) ${wrong}, and which media it needs, in this store and in those that its saves wrote to, is not known: put it back, or ${giveUp}.`,
      { cause },
    );
  }
}

/** What fails at its start has no state, and names nothing. */
function neverBegan({ hasFailed }: ListedRun, error: unknown): boolean {
  return hasFailed && error instanceof QueryNotRegisteredError;
}

function unreadable({ id }: ListedRun, error: unknown): EnvelopeDamagedError {
  const reason = cleanText(error instanceof Error ? error.message : String(error), 500).replace(/\.$/, "");
  return new EnvelopeDamagedError(
    `The last envelope of closed conversation ${id} was not kept, and which media it needs cannot be read from the server: ${reason}. Start a worker for it, or give it up with \`holdfast delete ${id} --yes\`.`,
    { cause: error },
  );
}

interface ListedRun {
  readonly id: string;
  readonly runId: string;
  readonly taskQueue: string;
  readonly startTime: Date;
  readonly hasFailed: boolean;
}

const OPEN = "ExecutionStatus = 'Running'";
/** What continued as new goes on in another run. */
const CLOSED = "ExecutionStatus IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut')";

/** Of every task queue: they may share a store. */
async function listed(client: Client, status: string): Promise<readonly ListedRun[]> {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ${status}`;
  const found: ListedRun[] = [];
  try {
    for await (const { workflowId, runId, taskQueue, startTime, status } of client.workflow.list({ query }))
      found.push({ id: workflowId, runId, taskQueue, startTime, hasFailed: status.name === "FAILED" });
  } catch (error) {
    throw unwrapFailure(error, "");
  }
  return found;
}

/** What is opened by its id is the latest run. */
function latestOfEach(runs: readonly ListedRun[]): readonly ListedRun[] {
  const latest = new Map<string, ListedRun>();
  for (const run of runs) {
    const known = latest.get(run.id);
    if (known === undefined || known.startTime < run.startTime) latest.set(run.id, run);
  }
  return [...latest.values()];
}

/** Of one moment, also where they come in several pages. */
async function readReferences(handle: WorkflowHandle): Promise<readonly string[]> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const versions = new Set<number>();
    const digests = await readPages<string>(async (request) => {
      const page = await handle.query(m.mediaReferences, request);
      versions.add(page.version);
      return page;
    });
    if (versions.size <= 1) return digests;
  }
  throw new ServerUnreachableError(
    `Conversation ${handle.workflowId} changes faster than it can be read: try again.`,
  );
}

/** What a last envelope names; undefined where it is not there. @throws BlobDamagedError */
async function digestsOf(store: MediaStore, key: string): Promise<ReadonlySet<string> | undefined> {
  const chunks = await streamFrom(store, key);
  return chunks === undefined ? undefined : digestsIn(chunks);
}

/** Every hex SHA-256 in a text that may be too large for a string: markers, references and keys of its media table are among them. */
async function digestsIn(chunks: AsyncIterable<Uint8Array>): Promise<ReadonlySet<string>> {
  const digests = new Set<string>();
  let end = "";
  for await (const chunk of chunks) {
    const text = end + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    for (const [digest] of text.matchAll(/[0-9a-f]{64}/g)) digests.add(digest);
    end = text.slice(-(DIGEST_LENGTH - 1));
  }
  return digests;
}
