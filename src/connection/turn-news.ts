/** Tells those who follow a conversation which turns begin. */

/** A turn of which frames have come; `ended` when it had already ended at the time. */
export interface TurnNotice {
  readonly turn: string;
  readonly ended: boolean;
}

/** A listener that has not taken so many is told no more: it would be left with the oldest. */
const MOST_WAITING = 1_000;

interface Listener {
  readonly waiting: TurnNotice[];
  wake(): void;
}

export class TurnNews {
  readonly #listeners = new Map<string, Set<Listener>>();

  tell(conversationId: string, notice: TurnNotice): void {
    for (const listener of this.#listeners.get(conversationId) ?? []) {
      if (listener.waiting.length < MOST_WAITING) listener.waiting.push(notice);
      listener.wake();
    }
  }

  /** Listens from the call on, not from the first read. */
  listen(
    conversationId: string,
    first: readonly TurnNotice[],
    signal: AbortSignal,
  ): AsyncGenerator<TurnNotice> {
    const listener: Listener = { waiting: [...first], wake: () => undefined };
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    const leave = (): void => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(conversationId) === listeners)
        this.#listeners.delete(conversationId);
    };
    signal.addEventListener("abort", leave, { once: true });
    return read(listener, signal, leave);
  }
}

async function* read(
  listener: Listener,
  signal: AbortSignal,
  leave: () => void,
): AsyncGenerator<TurnNotice, void, undefined> {
  try {
    while (!signal.aborted) {
      yield* listener.waiting.splice(0);
      if (listener.waiting.length === 0) await more(listener, signal);
    }
  } finally {
    leave();
    signal.removeEventListener("abort", leave);
  }
}

function more(listener: Listener, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener("abort", done);
      resolve();
    };
    if (signal.aborted) return resolve();
    listener.wake = done;
    signal.addEventListener("abort", done);
  });
}
