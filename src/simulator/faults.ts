/** Applies a scripted fault to a call. */
import { chunkDelay, type Emission, eventsOf, openStream, sendEvents } from "./emit-reply.js";
import type { Exchange } from "./exchange.js";
import type { Fault } from "./script.js";
import type { Wire, WireError, WireEvent } from "./wire.js";

const HUGE_BYTES = 3_000_000;
const BROKEN_JSON = '{"broken": "this JSON ends here';

/** Sends an error in the wire's own shape. */
export async function sendError(
  exchange: Exchange,
  wire: Wire,
  error: WireError,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await exchange.sendJson(error.status, wire.errorBody(error, exchange.requestId), {
    ...wire.responseHeaders(exchange.requestId),
    ...headers,
  });
}

export async function applyFault(fault: Fault, emission: Emission): Promise<void> {
  const { exchange, wire, pace } = emission;
  await exchange.pause(pace.delayMs ?? 0);
  switch (fault.kind) {
    case "status":
      return sendError(exchange, wire, statusError(fault), { ...retryHeaders(fault), ...fault.headers });
    case "overloaded":
      return sendError(exchange, wire, wire.overloaded, retryHeaders(fault));
    case "huge_error": {
      const message = `Simulated error with a long message: ${"x".repeat(fault.bytes ?? HUGE_BYTES)}`;
      return sendError(exchange, wire, { status: fault.status ?? 500, message });
    }
    default:
      return emission.stream ? breakStream(fault, emission) : breakBody(fault, emission);
  }
}

type BreakingFault = Exclude<Fault, { readonly kind: "status" | "overloaded" | "huge_error" }>;

async function breakStream(fault: BreakingFault, emission: Emission): Promise<void> {
  const { exchange, pace } = emission;
  const beforeHeaders = fault.afterChunks === undefined && fault.afterFinish !== true;
  if (beforeHeaders && fault.kind === "hang") return exchange.hang();
  if (beforeHeaders && fault.kind === "cut") return exchange.destroy();
  const events = eventsOf(emission);
  const sent = eventsBefore(fault, events);
  openStream(emission);
  await sendEvents(exchange, sent, chunkDelay(events, pace));
  await strike(fault, emission, events[sent.length]);
}

async function strike(
  fault: BreakingFault,
  { exchange, wire }: Emission,
  next: WireEvent | undefined,
): Promise<void> {
  switch (fault.kind) {
    case "hang":
      return exchange.hang();
    case "cut":
      return exchange.destroy();
    case "truncated":
      return exchange.end();
    case "malformed":
      await exchange.write(brokenFrame(next), false);
      return exchange.end();
    case "stream_error":
      await exchange.write(wire.errorEvent(streamError(fault, wire), exchange.requestId), false);
      return exchange.end();
    default:
      return fault satisfies never;
  }
}

/** The next event without the end of its JSON, still under its name: SDKs skip events that have none. */
function brokenFrame(next: WireEvent | undefined): string {
  const frame = next?.frame.trimEnd().slice(0, -1) ?? `data: ${BROKEN_JSON}`;
  return `${frame}\n\n`;
}

/** Without a stream there are no chunks: what would come after some of them breaks half the body instead. */
async function breakBody(fault: BreakingFault, emission: Emission): Promise<void> {
  const { exchange, wire, reply, body } = emission;
  if (fault.kind === "hang") return exchange.hang();
  if (fault.kind === "stream_error") return sendError(exchange, wire, streamError(fault, wire));
  if (fault.kind === "cut" && fault.afterChunks === undefined) return exchange.destroy();
  const whole = JSON.stringify(wire.replyBody(reply, body));
  exchange.sendHead(200, {
    ...wire.responseHeaders(exchange.requestId),
    "content-type": "application/json",
    ...(fault.kind === "cut" ? { "content-length": String(Buffer.byteLength(whole)) } : {}),
  });
  const half = whole.slice(0, Math.floor(whole.length / 2));
  await exchange.write(fault.kind === "malformed" ? BROKEN_JSON : half, false);
  if (fault.kind === "cut") exchange.destroy();
  else exchange.end();
}

function eventsBefore(fault: BreakingFault, events: readonly WireEvent[]): readonly WireEvent[] {
  if (fault.afterFinish === true) return events.slice(0, events.findIndex(({ finish }) => finish) + 1);
  return firstEvents(
    events,
    fault.afterChunks ?? (fault.kind === "truncated" ? Number.POSITIVE_INFINITY : 0),
  );
}

/** The opening events and as many chunks as are wanted. */
function firstEvents(events: readonly WireEvent[], afterChunks: number): readonly WireEvent[] {
  const positions = events.flatMap(({ chunk }, index) => (chunk ? [index] : []));
  const next = positions[afterChunks] ?? (positions.at(-1) ?? events.length - 1) + 1;
  return events.slice(0, next);
}

function statusError(fault: Extract<Fault, { readonly kind: "status" }>): WireError {
  return {
    status: fault.status,
    message: fault.message ?? `Simulated error ${fault.status}`,
    ...(fault.type === undefined ? {} : { type: fault.type }),
    ...(fault.code === undefined ? {} : { code: fault.code }),
    ...(typeof fault.retryAfter === "number" ? { retryAfterSeconds: fault.retryAfter } : {}),
  };
}

function streamError(fault: Extract<Fault, { readonly kind: "stream_error" }>, wire: Wire): WireError {
  return {
    status: fault.type === undefined ? wire.overloaded.status : 500,
    message: fault.message ?? wire.overloaded.message,
    ...(fault.type === undefined
      ? wire.overloaded.type === undefined
        ? {}
        : { type: wire.overloaded.type }
      : { type: fault.type }),
  };
}

function retryHeaders(fault: {
  readonly retryAfter?: number | string;
  readonly retryAfterMs?: number;
}): Record<string, string> {
  return {
    ...(fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) }),
    ...(fault.retryAfterMs === undefined ? {} : { "retry-after-ms": String(fault.retryAfterMs) }),
  };
}
