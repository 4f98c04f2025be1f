/** A stream whose answer is whole, and which stays open all the same: some servers send no mark of the end and never close. */

/**
 * Usage and the mark of the end are made before the finish reason goes out, and follow it at once. What can hold them up is a lost
 * packet: Linux sends it again after 0.2, 0.4, 0.8 and 1.6 s, so this is time for four losses in a row.
 */
const REST_MS = 5_000;

/** How an adapter tells the end of the answer from that of the stream. */
export interface AnswerEnd {
  /** Whether what has been taken so far is the whole answer, in the service's own word. False again where more of it comes. */
  hasCome(): boolean;
  /** Ends the call's connection. */
  close(): void;
}

/** The stream's items; of those behind the whole answer, what comes within five seconds. Then the connection is closed. */
export async function* untilAnswered<T>(
  stream: AsyncIterable<T>,
  end: AnswerEnd,
): AsyncGenerator<T, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  let closesAt: number | undefined;
  let isLeft = false;
  try {
    for (;;) {
      closesAt = end.hasCome() ? (closesAt ?? performance.now() + REST_MS) : undefined;
      const next = await within(iterator.next(), closesAt);
      if (next === undefined) end.close();
      if (next === undefined || next.done === true) return;
      isLeft = true;
      yield next.value;
      isLeft = false;
    }
  } finally {
    if (isLeft) await iterator.return?.();
  }
}

/** Undefined where it has not come by then. */
async function within<T>(coming: Promise<T>, time: number | undefined): Promise<T | undefined> {
  if (time === undefined) return coming;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), Math.max(0, time - performance.now()));
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
    // Nobody waits any more for what the closed connection makes of it.
    coming.catch(() => undefined);
  }
}
