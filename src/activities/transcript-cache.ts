/** Recent histories by digest, so that an event carries only what is new. Losing an entry costs a query, nothing else. */
import { LRUCache } from "lru-cache";
import type { AgentContext, Root } from "../core/conversation/activity-contract.js";
import type { MediaEntry, NativeMessage } from "../core/envelope/envelope.js";
import { jsonByteLength } from "../core/json-byte-length.js";

interface CachedTranscript {
  readonly messages: readonly NativeMessage[];
  readonly bytes: number;
}

type MediaTable = Readonly<Record<string, MediaEntry>>;

/** Agents' texts and media tables are small beside histories. */
const AGENTS_SHARE = 1 / 8;
const MEDIA_SHARE = 1 / 16;

/** Bounded in bytes of JSON; an entry that alone is larger is not kept. */
export class TranscriptCache {
  readonly #transcripts: LRUCache<string, CachedTranscript>;
  readonly #agents: LRUCache<string, AgentContext>;
  readonly #media: LRUCache<string, MediaTable>;

  constructor(maxBytes: number = 128 * 1024 * 1024) {
    this.#transcripts = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes + 1 });
    this.#agents = new LRUCache({
      maxSize: Math.ceil(maxBytes * AGENTS_SHARE),
      sizeCalculation: (context) => jsonByteLength(context),
    });
    this.#media = new LRUCache({
      maxSize: Math.ceil(maxBytes * MEDIA_SHARE),
      sizeCalculation: (table) => jsonByteLength(table),
    });
  }

  messages(root: Root): readonly NativeMessage[] | undefined {
    if (root.count === 0) return [];
    return this.#transcripts.get(root.digest)?.messages;
  }

  /** Whether a call's history and agent are known, so that nothing need be asked for it. */
  has({ root, agent }: { readonly root: Root; readonly agent: string }): boolean {
    return (root.count === 0 || this.#transcripts.has(root.digest)) && this.#agents.has(agent);
  }

  /** Keeps a history. `grownFrom` is the root of its beginning, which then need not be measured again. */
  keep(root: Root, messages: readonly NativeMessage[], grownFrom?: Root): void {
    const before = grownFrom === undefined ? undefined : this.#transcripts.get(grownFrom.digest);
    const bytes = (before?.bytes ?? 0) + jsonByteLength(messages.slice(before?.messages.length ?? 0));
    this.#transcripts.set(root.digest, { messages, bytes });
  }

  /** Keeps a history whose bytes were counted while it was read, page by page: a long one at once would block the loop. */
  keepMeasured(root: Root, messages: readonly NativeMessage[], bytes: number): void {
    this.#transcripts.set(root.digest, { messages, bytes });
  }

  forget(root: Root): void {
    this.#transcripts.delete(root.digest);
  }

  agent(digest: string): AgentContext | undefined {
    return this.#agents.get(digest);
  }

  keepAgent(digest: string, context: AgentContext): void {
    this.#agents.set(digest, context);
  }

  /** The media table of a run at a root: a copy of the conversation has the same history and may have another table. */
  media(runId: string, root: Root): MediaTable | undefined {
    return this.#media.get(`${runId} ${root.digest}`);
  }

  keepMedia(runId: string, root: Root, table: MediaTable): void {
    this.#media.set(`${runId} ${root.digest}`, table);
  }
}
