/** Callers of one conversation take turns here, where the server would send them away and they would come back late. */
import pLimit, { type LimitFunction } from "p-limit";

/** Temporal allows ten unfinished updates a run: below that, so that an approval or a rebind always gets in. */
export const UPDATES_AT_ONCE = 6;

/** The server keeps one query of a conversation waiting behind a workflow task, and refuses more. */
export const QUERIES_AT_ONCE = 2;

/** One queue a conversation, first come first served, for all handles of a connection. */
export class ConversationSlots {
  readonly #atOnce: number;
  readonly #slots = new Map<string, LimitFunction>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(conversationId: string, call: () => Promise<T>): Promise<T> {
    const slots = this.#slots.get(conversationId) ?? pLimit(this.#atOnce);
    this.#slots.set(conversationId, slots);
    try {
      return await slots(call);
    } finally {
      if (slots.activeCount === 0 && slots.pendingCount === 0) this.#slots.delete(conversationId);
    }
  }
}
