/** A reader's streams: the frames of a turn, the turns of a conversation, as server-sent events. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { InProcessHub } from "../connection/frame-buffer.js";
import { formatCursor, parseCursor } from "../connection/frame-cursor.js";
import type { KeptFrame } from "../connection/turn-log.js";
import type { TurnNotice } from "../connection/turn-news.js";
import { refuse } from "./stream-response.js";

export interface SendingOptions {
  readonly stopping: AbortSignal;
  readonly keepAliveMs: number;
  readonly stalledMs: number;
}

export interface FramesToSend {
  readonly hub: InProcessHub;
  readonly conversationId: string;
  readonly turnId: string;
  /** The reader's cursor as text, or null for all that is kept. */
  readonly from: string | null;
}

/** The kept frames of a turn, then live ones. 204 where a reader stands at the end of a turn that has ended. */
export async function sendFrames(
  response: ServerResponse,
  options: SendingOptions,
  { hub, conversationId, turnId, from: text }: FramesToSend,
): Promise<void> {
  const from = text === null ? undefined : parseCursor(text);
  if (from === null) return refuse(response, 400, "A cursor has the form ATTEMPT.SEQ, such as 1.42");
  if (from !== undefined && hub.isAtEnd(conversationId, turnId, from)) {
    response.writeHead(204).end();
    return;
  }
  const read = from === undefined ? {} : { from };
  await send(response, options, (signal) => hub.read(conversationId, turnId, { signal, ...read }), framesOf);
}

/** The turns of which frames are kept, then those that begin, until the reader leaves. */
export async function sendTurns(
  response: ServerResponse,
  options: SendingOptions,
  { hub, conversationId }: { readonly hub: InProcessHub; readonly conversationId: string },
): Promise<void> {
  await send(response, options, (signal) => hub.notices(conversationId, { signal }), turnOf);
}

const framesOf = (frames: readonly KeptFrame[]): string =>
  frames.map(({ frame, json }) => `id: ${formatCursor(frame)}\ndata: ${json}\n\n`).join("");

const turnOf = (notice: TurnNotice): string => `data: ${JSON.stringify(notice)}\n\n`;

async function send<T>(
  response: ServerResponse,
  options: SendingOptions,
  read: (signal: AbortSignal) => AsyncIterable<T>,
  eventsOf: (item: T) => string,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.on("error", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": still here\n\n");
  }, options.keepAliveMs).unref();
  const signal = AbortSignal.any([gone.signal, options.stopping]);
  try {
    for await (const item of read(signal)) {
      // Nothing is queued for a slow reader: it reads on from the hub's own bounded log, or is cut off and comes back.
      const hasRoom = response.write(eventsOf(item));
      if (hasRoom || (await drains(response, signal, options.stalledMs))) continue;
      response.destroy();
      return;
    }
    response.end();
  } finally {
    clearInterval(keepAlive);
  }
}

async function drains(response: ServerResponse, signal: AbortSignal, withinMs: number): Promise<boolean> {
  const late = AbortSignal.timeout(withinMs);
  return once(response, "drain", { signal: AbortSignal.any([signal, late]) }).then(
    () => true,
    () => false,
  );
}
