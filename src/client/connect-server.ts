/** The connection to Temporal, with retries that suit conversations. */

import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from "@temporalio/client";
import type { Settings } from "../connection/settings.js";
import { unreachable } from "./unwrap-failure.js";

const CONNECT_MS = 5_000;
/** The gRPC status code. */
const RESOURCE_EXHAUSTED = 8;

/**
 * A server that is out of update slots has some again in milliseconds, where Temporal's default waits for a second and
 * then longer: callers of one conversation, from many processes, would be answered late and out of order.
 */
const EXHAUSTED_MS = 40;
const OTHER_MS = 100;

/** @throws ServerUnreachableError within five seconds. */
export async function connectServer({ connection }: Settings): Promise<Connection> {
  const retry = defaultGrpcRetryOptions({
    factor: 1.5,
    initialIntervalMs: ({ code }) => (code === RESOURCE_EXHAUSTED ? EXHAUSTED_MS : OTHER_MS),
  });
  try {
    return await Connection.connect({
      ...connection,
      connectTimeout: CONNECT_MS,
      interceptors: [makeGrpcRetryInterceptor(retry)],
    });
  } catch (error) {
    throw unreachable(error, connection.address);
  }
}
