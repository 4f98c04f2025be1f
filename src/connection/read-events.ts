/** One connection to the stream hub: the data of its events, until it ends for whatever reason. */
import { createParser } from "eventsource-parser";
import type { FrameCursor } from "../core/conversation/frame.js";
import { ServerUnreachableError } from "../core/errors/errors.js";
import { formatCursor } from "./frame-cursor.js";
import type { StreamAddress } from "./stream-address.js";
import { bearer } from "./stream-url.js";

/** The hub says something every 15 s: a connection that is silent for this long is dead. */
const SILENCE_MS = 45_000;

/** What the hub says by 204: nothing comes after the reader's cursor. */
export const NOTHING_FOLLOWS: unique symbol = Symbol("nothing follows");

export interface EventRequest {
  readonly address: StreamAddress;
  readonly url: string;
  readonly cursor?: FrameCursor | undefined;
  readonly signal: AbortSignal;
}

/** @throws ServerUnreachableError where the hub refuses the token; any other failure is an end. */
export async function* readEvents(request: EventRequest): AsyncGenerator<string | typeof NOTHING_FOLLOWS> {
  const done = new AbortController();
  const silence = setTimeout(() => done.abort(), SILENCE_MS).unref();
  try {
    const body = await open(request, AbortSignal.any([request.signal, done.signal]));
    if (body === null) return yield NOTHING_FOLLOWS;
    const events: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => events.push(data) });
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      silence.refresh();
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* events.splice(0);
    }
  } catch (error) {
    if (error instanceof ServerUnreachableError) throw error;
  } finally {
    clearTimeout(silence);
    done.abort();
  }
}

async function open(
  { address, url, cursor }: EventRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | null> {
  const headers = { authorization: bearer(address), accept: "text/event-stream" };
  const response = await fetch(url, {
    headers: cursor === undefined ? headers : { ...headers, "last-event-id": formatCursor(cursor) },
    signal,
  });
  if (response.status === 401)
    throw new ServerUnreachableError(
      `The stream at ${address.url} refuses this token: connect again, so that the one of the running \`holdfast dev\` is used`,
    );
  if (response.status === 204) return null;
  if (!response.ok || response.body === null) throw new Error(`The stream answers ${response.status}`);
  return response.body;
}
