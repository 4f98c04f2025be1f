/** A client's end of the stream: the frames of a turn as they come, across reconnections. */
import { setTimeout as delay } from "node:timers/promises";
import type { Frame, FrameCursor, FrameSource, SubscribeOptions } from "../core/conversation/frame.js";
import { isJsonObject } from "../core/json.js";
import { parseFrame } from "./parse-frame.js";
import { NOTHING_FOLLOWS, readEvents } from "./read-events.js";
import type { StreamAddress } from "./stream-address.js";
import { readUrl, turnsUrl } from "./stream-url.js";
import type { TurnNotice } from "./turn-news.js";

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;

/**
 * Reads from a stream hub. A lost connection is taken up again after the last frame that was seen; while the hub is away
 * it is tried again until the abort. Throws ServerUnreachableError only where the hub refuses the token.
 */
export class SseFrameSource implements FrameSource {
  readonly #addressNow: () => StreamAddress;

  /** A function is asked at each connection: a hub that starts again may be elsewhere. */
  constructor(address: StreamAddress | (() => StreamAddress)) {
    this.#addressNow = typeof address === "function" ? address : () => address;
  }

  async *subscribe(
    conversationId: string,
    turnId: string,
    { signal, from }: SubscribeOptions,
  ): AsyncGenerator<Frame> {
    let cursor: FrameCursor | undefined = from;
    const retry = new Retry(signal);
    while (!signal.aborted) {
      const address = this.#addressNow();
      const url = readUrl(address, conversationId, turnId);
      for await (const data of readEvents({ address, url, cursor, signal })) {
        if (signal.aborted || data === NOTHING_FOLLOWS) return;
        for (const frame of knownFrame(data)) {
          cursor = frame;
          retry.succeeded();
          yield frame;
          if (frame.type === "end") return;
        }
      }
      await retry.wait();
    }
  }

  /** After a lost connection also those that began and ended meanwhile. */
  async *turns(conversationId: string, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<string> {
    const seen = new Set<string>();
    const retry = new Retry(signal);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const address = this.#addressNow();
      const url = turnsUrl(address, conversationId);
      for await (const data of readEvents({ address, url, signal })) {
        if (signal.aborted) return;
        for (const { turn, ended } of knownNotice(data)) {
          retry.succeeded();
          if (seen.has(turn)) continue;
          seen.add(turn);
          if (!(isFirst && ended)) yield turn;
        }
      }
      await retry.wait();
    }
  }
}

/** Waits longer and longer while nothing gets through. */
class Retry {
  readonly #signal: AbortSignal;
  #waitMs = FIRST_RETRY_MS;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  succeeded(): void {
    this.#waitMs = FIRST_RETRY_MS;
  }

  async wait(): Promise<void> {
    await delay(this.#waitMs, undefined, { signal: this.#signal }).catch(() => undefined);
    this.#waitMs = Math.min(this.#waitMs * 2, LAST_RETRY_MS);
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

function knownNotice(data: string | typeof NOTHING_FOLLOWS): readonly TurnNotice[] {
  if (data === NOTHING_FOLLOWS) return [];
  try {
    const notice: unknown = JSON.parse(data);
    if (!isJsonObject(notice) || typeof notice.turn !== "string") return [];
    return [{ turn: notice.turn, ended: notice.ended === true }];
  } catch {
    return [];
  }
}
