/** Queries that are asked again beside the first when that one is late: the first answer counts. */
import type { Client, WorkflowClientInterceptor } from "@temporalio/client";

/** For all tries of one. The server by itself would wait for half a minute. */
const DEADLINE_MS = 10_000;

/**
 * A query that a killed worker took with it, or that the SDK's core drops with a task of a run that it evicts (decision 0026), is
 * answered by nobody; the next one is, at once. A worker that has to replay ten thousand turns first answers within two seconds, and
 * one that is slower than that goes on with what it was asked first.
 */
const LATE_MS = [2_000, 5_000] as const;

/**
 * What the SDK itself fails a query with where its core had shown it a history half as a replay and half as news. It drops its cache
 * then, and the next query begins with the whole history; a conversation that cannot be replayed fails each of them.
 */
const MISLED = /on non-replay activation|TMPRL1100/;
const MISLED_TIMES = 2;

/** For the queries of a client on this connection. What fails all the same a client asks again (`callAgain`). */
export function patientQueries(connection: Client["connection"]): WorkflowClientInterceptor {
  return {
    query: (input, next) => {
      const deadline = Date.now() + DEADLINE_MS;
      return askedAgain(() => connection.withDeadline(deadline, () => next(input)));
    },
  };
}

/** Rejects, with the last failure, once nothing that was asked can be answered any more. */
function askedAgain<T>(ask: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let asked = 0;
  let misled = 0;
  const again = (): void => {
    asked += 1;
    ask().then(resolve, (error: unknown) => {
      asked -= 1;
      if (isMisled(error) && misled++ < MISLED_TIMES) again();
      else if (asked === 0) reject(error);
    });
  };
  const timers = LATE_MS.map((ms) => setTimeout(again, ms));
  again();
  return promise.finally(() => timers.forEach(clearTimeout));
}

function isMisled(error: unknown): boolean {
  return error instanceof Error && MISLED.test(error.message);
}
