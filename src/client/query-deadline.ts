/** How long one try of a query may take. */
import type { Client, WorkflowClientInterceptor } from "@temporalio/client";

/**
 * A query that a worker took with it when it was killed is answered by nobody, and the server would wait for half a minute.
 * A worker that has to replay a conversation of ten thousand turns first answers within two seconds.
 */
const QUERY_MS = 10_000;

/** What fails by it is asked again (`callAgain`). */
export function queryDeadline(connection: Client["connection"]): WorkflowClientInterceptor {
  return {
    query: (input, next) => connection.withDeadline(Date.now() + QUERY_MS, () => next(input)),
  };
}
