/** Tells what is no event stream, such as the web page behind a wrong base URL, from a stream that was cut: no second call would help. */
import { cleanText } from "../core/errors/clean-text.js";
import type { ProviderFailure } from "../core/errors/provider-failure.js";
import { type FailureContext, providerFailure } from "./failure.js";
import { type AnswerEnd, untilAnswered } from "./until-answered.js";

const ADDRESS_BYTES = 500;

/** What of the server's answer is looked at. */
export type AnsweredBy = Pick<Response, "body" | "headers" | "status" | "url">;

/**
 * The stream's events, of those behind the whole answer what comes soon.
 *
 * @throws ProviderFailure `no_event_stream` where none came and the answer did not say that it is a stream; what reading throws.
 */
export async function* eventsOf<T>(
  stream: AsyncIterable<T>,
  response: AnsweredBy,
  { end, ...context }: FailureContext & { readonly end: AnswerEnd },
): AsyncGenerator<T, void, undefined> {
  let hasBegun = false;
  try {
    if (response.body !== null)
      for await (const event of untilAnswered(stream, end)) {
        hasBegun = true;
        yield event;
      }
  } catch (error) {
    // A connection that breaks says nothing of what would have come.
    if (hasBegun || !saysNoEvents(error) || isEventStream(response)) throw error;
    throw noEventStream(response, context);
  }
  if (!hasBegun && !isEventStream(response) && !context.signal.aborted)
    throw noEventStream(response, context);
}

/** That what came to its end, or is not there, held no event: the words of the SDKs, and of the reader of JSON under them. */
const NO_EVENTS = /^(request ended without sending any chunks|Incomplete JSON segment at the end)/;

function saysNoEvents(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof SyntaxError || NO_EVENTS.test(error.message) || saysNoEvents(error.cause);
}

function isEventStream({ headers }: AnsweredBy): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

function noEventStream({ headers, status, url }: AnsweredBy, context: FailureContext): ProviderFailure {
  const type = headers.get("content-type")?.split(";")[0]?.trim();
  const { origin, pathname } = new URL(url);
  const address = cleanText(`${origin}${pathname}`, ADDRESS_BYTES, [context.apiKey]);
  const what = type ? cleanText(type, 100) : "no content type";
  return providerFailure("no_event_stream", context, `${address} answered ${status} with ${what}`);
}
