/** The connection to Temporal, with retries that suit conversations. */

import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from "@temporalio/client";
import { mergedDataConverter } from "../connection/data-converter.js";
import type { PayloadStore } from "../connection/open-payload-store.js";
import { patientQueries } from "../connection/patient-queries.js";
import type { Settings } from "../connection/settings.js";
import { CONNECTION_CLOSED, unreachable } from "./unwrap-failure.js";

const CONNECT_MS = 5_000;
/** What Temporal's SDK means to take, whose misspelt option leaves grpc-js at 4 MiB: a page of a history can be larger. */
const MESSAGE_BYTES = 128 * 1024 * 1024;
/** gRPC status codes. */
const CANCELLED = 1;
const RESOURCE_EXHAUSTED = 8;

/**
 * A server that is out of update slots has some again in milliseconds, where Temporal's default waits for a second and
 * then longer: callers of one conversation, from many processes, would be answered late and out of order.
 */
const EXHAUSTED_MS = 40;
const OTHER_MS = 100;
const LONGEST_EXHAUSTED_MS = 1_000;
/** A server that is busy answers in the end, one that is away may not: the one is waited for longer. */
const EXHAUSTED_ATTEMPTS = 60;
const OTHER_ATTEMPTS = 10;

/**
 * The client of conversations: on a connection of its own, or on that of a client that somebody else has connected, which `close`
 * leaves open.
 *
 * @throws ServerUnreachableError within five seconds; UsageError where the given client has a payload converter of its own.
 */
export async function connectClient(
  settings: Settings,
  payloadStore: PayloadStore,
  given: Client | undefined,
): Promise<{ readonly client: Client; readonly close: () => Promise<void> }> {
  const connection = given?.connection ?? (await connectServer(settings));
  const dataConverter = mergedDataConverter(given?.options.dataConverter, payloadStore);
  const client = new Client({
    connection,
    namespace: settings.namespace,
    identity: given?.options.identity ?? `holdfast-client-${process.pid}`,
    dataConverter,
    interceptors: { workflow: [patientQueries(connection)] },
  });
  return { client, close: async () => (given === undefined ? connection.close() : undefined) };
}

/** @throws ServerUnreachableError within five seconds. */
async function connectServer({ connection }: Settings): Promise<Connection> {
  try {
    return await Connection.connect({
      ...connection,
      connectTimeout: CONNECT_MS,
      channelArgs: { "grpc.max_receive_message_length": MESSAGE_BYTES },
      interceptors: [makeGrpcRetryInterceptor(patientRetries()), cancelledOnceClosed],
    });
  } catch (error) {
    throw unreachable(error, connection.address);
  }
}

function patientRetries(): ReturnType<typeof defaultGrpcRetryOptions> {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({
    factor: 1.5,
    maxAttempts: EXHAUSTED_ATTEMPTS,
    initialIntervalMs: ({ code }) => (code === RESOURCE_EXHAUSTED ? EXHAUSTED_MS : OTHER_MS),
  });
  return {
    delayFunction: (attempt, status) =>
      status.code === RESOURCE_EXHAUSTED
        ? Math.min(delayFunction(attempt, status), LONGEST_EXHAUSTED_MS)
        : delayFunction(attempt, status),
    retryableDecider: (attempt, status) =>
      (status.code === RESOURCE_EXHAUSTED || attempt < OTHER_ATTEMPTS) && retryableDecider(attempt, status),
  };
}

type Interceptor = NonNullable<ConnectionOptions["interceptors"]>[number];

/**
 * A retry that is still to come when the connection is closed would throw from its timer, and end the process of a caller
 * who has had all answers: it ends as cancelled instead.
 */
const cancelledOnceClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch {
    return cancelledCall as Call;
  }
};

type Call = ReturnType<Interceptor>;

const cancelledCall: Pick<Call, "start" | "sendMessage" | "halfClose" | "cancelWithStatus" | "getPeer"> = {
  start: (metadata, listener) => {
    const status = { code: CANCELLED, details: CONNECTION_CLOSED, metadata };
    queueMicrotask(() => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.(status);
    });
  },
  sendMessage: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => "closed",
};
