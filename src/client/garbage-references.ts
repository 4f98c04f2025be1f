/** Which blobs the conversations need, open and closed. */
import type { Client, WorkflowHandle } from "@temporalio/client";
import pLimit from "p-limit";
import type { ClosedConversations } from "../connection/closed-conversations.js";
import { readPages } from "../connection/read-pages.js";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import {
  ConversationNotFoundError,
  EnvelopeDamagedError,
  ServerUnreachableError,
} from "../core/errors/errors.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
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
    return this.#read.size;
  }

  /**
   * Reads every conversation that is open, then every one that was closed: one that is being closed meanwhile is found in one
   * of the two.
   *
   * @throws what reading a conversation throws, where one cannot be read.
   */
  async gather(): Promise<void> {
    const atOnce = pLimit(CONVERSATIONS_AT_ONCE);
    const open = await openConversations(this.#context.client);
    try {
      await Promise.all(open.map((one) => atOnce(() => this.#addOpen(one))));
    } finally {
      atOnce.clearQueue();
    }
    for (const { closed, store } of this.#kept)
      for (const key of await closed.keptEnvelopes()) await this.#addKept(key, store);
  }

  async #addOpen({ id, taskQueue }: OpenConversation): Promise<void> {
    const settings = { ...this.#context.settings, taskQueue };
    const context = { ...this.#context, settings };
    const handle = this.#context.client.workflow.getHandle(id);
    try {
      const read = (): Promise<readonly string[]> => readReferences(handle);
      const digests = await this.#context.queries.run(id, () => callConversation(context, id, read));
      for (const digest of digests) this.#digests.add(digest);
      this.#open.add(id);
    } catch (error) {
      // It was listed as open, and is gone: what is left of it is its last envelope.
      if (!(error instanceof ConversationNotFoundError)) throw error;
    }
  }

  async #addKept(key: string, store: MediaStore): Promise<void> {
    if (this.#read.has(key)) return;
    const chunks = await streamFrom(store, key);
    if (chunks === undefined)
      throw new EnvelopeDamagedError(
        `The last envelope ${key} of a closed conversation is not in its store, and which media it needs is not known: put it back, or delete the file in the store's folder \`closed\` that names it.`,
      );
    for (const digest of await digestsIn(chunks)) this.#digests.add(digest);
    this.#digests.add(digestOfKey(key));
    this.#read.add(key);
  }
}

interface OpenConversation {
  readonly id: string;
  readonly taskQueue: string;
}

/** Of every task queue: they may share a store. */
async function openConversations(client: Client): Promise<readonly OpenConversation[]> {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;
  const found: OpenConversation[] = [];
  try {
    for await (const { workflowId, taskQueue } of client.workflow.list({ query }))
      found.push({ id: workflowId, taskQueue });
  } catch (error) {
    throw unwrapFailure(error, "");
  }
  return found;
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
