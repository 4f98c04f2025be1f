/** Recent histories by digest, so that an event carries only what is new. Losing an entry costs a query, nothing else. */
import { LRUCache } from "lru-cache";
import type { AgentContext, Root } from "../core/conversation/activity-contract.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { jsonByteLength } from "../core/json-byte-length.js";

interface CachedTranscript {
  readonly messages: readonly NativeMessage[];
  readonly bytes: number;
}

/** Agents' texts are small beside histories. */
const AGENTS_SHARE = 1 / 8;

/** Bounded in bytes of JSON; an entry that alone is larger is not kept. */
export class TranscriptCache {
  readonly #transcripts: LRUCache<string, CachedTranscript>;
  readonly #agents: LRUCache<string, AgentContext>;

  constructor(maxBytes: number = 128 * 1024 * 1024) {
    this.#transcripts = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes + 1 });
    this.#agents = new LRUCache({
      maxSize: Math.ceil(maxBytes * AGENTS_SHARE),
      sizeCalculation: (context) => jsonByteLength(context),
    });
  }

  messages(root: Root): readonly NativeMessage[] | undefined {
    if (root.count === 0) return [];
    return this.#transcripts.get(root.digest)?.messages;
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
}
