/** The turns of a conversation as they begin, for whoever follows it. */
import { setTimeout as delay } from "node:timers/promises";
import type { FrameSource } from "../core/conversation/frame.js";
import type { ConversationStatus } from "../core/conversation/messages.js";

export interface FollowOptions {
  readonly source: FrameSource | undefined;
  readonly conversationId: string;
  readonly status: () => Promise<ConversationStatus>;
  readonly signal: AbortSignal | undefined;
}

/** How often the conversation is asked: seldom where its turns announce themselves. */
const ASK_MS = 15_000;
const ASK_WITHOUT_SOURCE_MS = 1_000;

/**
 * Ids: the turn that runs first, then each that begins, until the conversation is closed or the abort.
 *
 * @throws what `status` throws, and what the source does.
 */
export async function* followTurns(options: FollowOptions): AsyncGenerator<string, void, undefined> {
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
  const begun = new Begun();
  const reading = Promise.all([announced(options, begun, signal), asked(options, begun, signal)]);
  void reading.then(
    () => begun.end(),
    (error: unknown) => begun.end(error),
  );
  const left = (): void => begun.end();
  signal.addEventListener("abort", left);
  try {
    yield* begun.read();
  } finally {
    stop.abort();
  }
}

async function announced(
  { source, conversationId }: FollowOptions,
  begun: Begun,
  signal: AbortSignal,
): Promise<void> {
  if (source?.turns === undefined) return;
  for await (const turnId of source.turns(conversationId, { signal })) begun.add(turnId);
}

/** Finds the turns that were not announced, and the end of the conversation. */
async function asked({ source, status }: FollowOptions, begun: Begun, signal: AbortSignal): Promise<void> {
  const wait = source?.turns === undefined ? ASK_WITHOUT_SOURCE_MS : ASK_MS;
  while (!signal.aborted) {
    const { state, running } = await status();
    if (running !== null) begun.add(running);
    if (state === "closed") return begun.end();
    await delay(wait, undefined, { signal }).catch(() => undefined);
  }
}

/** Each turn once, in the order in which it became known. */
class Begun {
  readonly #seen = new Set<string>();
  readonly #waiting: string[] = [];
  #wake: () => void = () => undefined;
  #ended: { readonly error: unknown } | undefined;

  add(turnId: string): void {
    if (this.#seen.has(turnId)) return;
    this.#seen.add(turnId);
    this.#waiting.push(turnId);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#ended ??= { error };
    this.#wake();
  }

  async *read(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#ended === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (this.#ended.error === undefined) return;
      else throw this.#ended.error;
    }
  }
}
