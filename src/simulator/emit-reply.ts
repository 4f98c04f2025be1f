/** Sends a reply at its pace, streaming or whole. */
import type { JsonObject } from "../core/json.js";
import type { Exchange } from "./exchange.js";
import type { Pace } from "./script.js";
import type { SimulatedReply } from "./simulated-reply.js";
import type { Wire, WireEvent } from "./wire.js";

const CHUNK_SIZE = 16;
/** A long scripted text comes in larger chunks rather than in thousands of events. */
const MAXIMUM_CHUNKS = 250;

export interface Emission {
  readonly exchange: Exchange;
  readonly wire: Wire;
  readonly reply: SimulatedReply;
  readonly body: JsonObject;
  readonly stream: boolean;
  readonly pace: Pace;
}

/** The events of the reply, its text cut into chunks of the wanted size. */
export function eventsOf(emission: Emission): readonly WireEvent[] {
  const { wire, reply, body, pace } = emission;
  const length = reply.text.length + reply.reasoning.length;
  const size = pace.chunkSize ?? Math.max(CHUNK_SIZE, Math.ceil(length / MAXIMUM_CHUNKS));
  return wire.replyEvents(reply, body, size);
}

export async function emitReply(emission: Emission): Promise<void> {
  const { exchange, wire, reply, body, stream, pace } = emission;
  await exchange.pause(pace.delayMs ?? 0);
  if (!stream) {
    await exchange.pause(pace.minimumReplyMs ?? 0);
    await exchange.sendJson(200, wire.replyBody(reply, body), wire.responseHeaders(exchange.requestId));
    return;
  }
  openStream(emission);
  const events = eventsOf(emission);
  await sendEvents(exchange, events, chunkDelay(events, pace));
  exchange.end();
}

export function openStream({ exchange, wire }: Emission): void {
  exchange.sendHead(200, {
    ...wire.responseHeaders(exchange.requestId),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
}

/** The pause before each chunk. */
export function chunkDelay(events: readonly WireEvent[], pace: Pace): number {
  const chunks = events.filter(({ chunk }) => chunk).length;
  return Math.max(pace.chunkDelayMs ?? 0, (pace.minimumReplyMs ?? 0) / Math.max(1, chunks));
}

export async function sendEvents(
  exchange: Exchange,
  events: readonly WireEvent[],
  delayMs: number,
): Promise<void> {
  for (const { frame, chunk } of events) {
    if (chunk) await exchange.pause(delayMs);
    await exchange.write(frame, chunk);
    // A provider that is told of the close stops writing; the one frame above is what was under way.
    if (exchange.closed) return;
  }
}
