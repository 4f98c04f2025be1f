/** A client's end of the stream: the frames of a turn as they come, across reconnections. */
import { setTimeout as delay } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import type { Frame, FrameSource } from "../core/conversation/frame.js";
import { ServerUnreachableError } from "../core/errors/errors.js";
import { type FrameCursor, formatCursor } from "./frame-cursor.js";
import { parseFrame } from "./parse-frame.js";
import type { StreamAddress } from "./stream-address.js";
import { bearer, readUrl } from "./stream-url.js";

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;
/** The hub says something every 15 s: a connection that is silent for this long is dead. */
const SILENCE_MS = 45_000;

/**
 * Reads from a stream hub. A lost connection is taken up again after the last frame that was seen; while the hub is away
 * it is tried again until the abort. Throws ServerUnreachableError only where the hub refuses the token.
 */
export class SseFrameSource implements FrameSource {
  readonly #address: StreamAddress;

  constructor(address: StreamAddress) {
    this.#address = address;
  }

  async *subscribe(
    conversationId: string,
    turnId: string,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<Frame> {
    const url = readUrl(this.#address, conversationId, turnId);
    let cursor: FrameCursor | null = null;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      for await (const frame of this.#readOnce(url, cursor, signal)) {
        if (signal.aborted) return;
        cursor = frame;
        retryMs = FIRST_RETRY_MS;
        yield frame;
        if (frame.type === "end") return;
      }
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** The frames of one connection, until it ends for whatever reason. */
  async *#readOnce(url: string, cursor: FrameCursor | null, signal: AbortSignal): AsyncGenerator<Frame> {
    const done = new AbortController();
    const silence = setTimeout(() => done.abort(), SILENCE_MS).unref();
    try {
      const body = await this.#open(url, cursor, AbortSignal.any([signal, done.signal]));
      const frames: Frame[] = [];
      const parser = createParser({ onEvent: ({ data }) => frames.push(...knownFrame(data)) });
      const decoder = new TextDecoder();
      for await (const chunk of body) {
        silence.refresh();
        parser.feed(decoder.decode(chunk, { stream: true }));
        yield* frames.splice(0);
      }
    } catch (error) {
      if (error instanceof ServerUnreachableError) throw error;
    } finally {
      clearTimeout(silence);
      done.abort();
    }
  }

  async #open(
    url: string,
    cursor: FrameCursor | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const headers = { authorization: bearer(this.#address), accept: "text/event-stream" };
    const response = await fetch(url, {
      headers: cursor === null ? headers : { ...headers, "last-event-id": formatCursor(cursor) },
      signal,
    });
    if (response.status === 401)
      throw new ServerUnreachableError(
        `The stream at ${this.#address.url} refuses this token: connect again, so that the one of the running \`holdfast dev\` is used`,
      );
    if (!response.ok || response.body === null) throw new Error(`The stream answers ${response.status}`);
    return response.body;
  }
}

/** A frame of a newer version is passed over: what can be shown is shown. */
function knownFrame(data: string): readonly Frame[] {
  try {
    return [parseFrame(JSON.parse(data))];
  } catch {
    return [];
  }
}
