/** A reader's stream: the kept frames of a turn, then live ones, as server-sent events. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { InProcessHub } from "../connection/frame-buffer.js";
import { type FrameCursor, formatCursor, parseCursor } from "../connection/frame-cursor.js";
import type { KeptFrame } from "../connection/turn-log.js";
import { refuse } from "./stream-response.js";

export interface SendEventsOptions {
  readonly hub: InProcessHub;
  readonly conversationId: string;
  readonly turnId: string;
  /** The reader's cursor as text, or null for all that is kept. */
  readonly from: string | null;
  readonly stopping: AbortSignal;
  readonly keepAliveMs: number;
  readonly stalledMs: number;
}

export async function sendEvents(response: ServerResponse, options: SendEventsOptions): Promise<void> {
  const from = options.from === null ? undefined : parseCursor(options.from);
  if (from === null) return refuse(response, 400, "A cursor has the form ATTEMPT.SEQ, such as 1.42");
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.on("error", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": still here\n\n");
  }, options.keepAliveMs).unref();
  try {
    await copy(response, options, from, AbortSignal.any([gone.signal, options.stopping]));
  } finally {
    clearInterval(keepAlive);
  }
}

/** Nothing is queued for a slow reader: it reads on from the hub's own bounded log, or is cut off and comes back. */
async function copy(
  response: ServerResponse,
  options: SendEventsOptions,
  from: FrameCursor | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { hub, conversationId, turnId, stalledMs } = options;
  const read = { signal, ...(from === undefined ? {} : { from }) };
  for await (const frames of hub.read(conversationId, turnId, read)) {
    const hasRoom = response.write(frames.map(eventOf).join(""));
    if (!hasRoom && !(await drains(response, signal, stalledMs))) {
      response.destroy();
      return;
    }
  }
  response.end();
}

const eventOf = ({ frame, json }: KeptFrame): string => `id: ${formatCursor(frame)}\ndata: ${json}\n\n`;

async function drains(response: ServerResponse, signal: AbortSignal, withinMs: number): Promise<boolean> {
  const late = AbortSignal.timeout(withinMs);
  return once(response, "drain", { signal: AbortSignal.any([signal, late]) }).then(
    () => true,
    () => false,
  );
}
