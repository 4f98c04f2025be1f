/** Temporal allows ten unfinished updates a run; a caller beyond them is sent away and comes back late. So they take turns here. */
import pLimit, { type LimitFunction } from "p-limit";

/** Below Temporal's ten, so that an approval or a rebind always gets in. */
const AT_ONCE = 6;

/** One queue a conversation, first come first served, for all handles of a connection. */
export class UpdateSlots {
  readonly #slots = new Map<string, LimitFunction>();

  async run<T>(conversationId: string, update: () => Promise<T>): Promise<T> {
    const slots = this.#slots.get(conversationId) ?? pLimit(AT_ONCE);
    this.#slots.set(conversationId, slots);
    try {
      return await slots(update);
    } finally {
      if (slots.activeCount === 0 && slots.pendingCount === 0) this.#slots.delete(conversationId);
    }
  }
}
