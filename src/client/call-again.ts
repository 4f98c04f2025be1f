/** Calls that met a run which was ending, a server that was busy or a worker that was killed: they are made again as they were. */
import { setTimeout as delay } from "node:timers/promises";
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { isJsonObject } from "../core/json.js";
import { serverAnswers } from "./server-answers.js";
import { isUnansweredQuery, unreachable, wasHandedBack } from "./unwrap-failure.js";

/** Fifteen tries take twelve seconds. */
const MOST_TRIES = 15;
const FIRST_WAIT_MS = 100;
/** A run that is ending is gone within milliseconds; a conversation under load may be found so several times in a row. */
const MOST_MOVES = 100;
const MOVING_WAIT_MS = 100;
const MOVING_LONGEST_WAIT_MS = 1_000;

/** A query that a worker took with it when it was killed. A worker that cannot answer at all is known by then. */
const MOST_UNANSWERED = 3;

const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
/** The server was not reached at all, or never will take the call: for these there is no other try here. */
const NOT_BUSY = /connect|ECONN|ENOTFOUND|larger than max|too large/i;

/**
 * The call's answer. Turns are idempotent by their ids, so that none runs twice for being sent again.
 *
 * @param call makes the call through a handle without run id, so that it reaches the run that is open then
 */
export async function callAgain<T>(
  client: Client,
  conversationId: string,
  call: () => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  let tries = 0;
  let moves = 0;
  let unanswered = 0;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isMoving = wasMoving(error);
      if (signal.aborted || (isMoving ? ++moves >= MOST_MOVES : ++tries >= MOST_TRIES)) throw error;
      if (isUnansweredQuery(error)) {
        // Where the server is away, a query comes to its deadline as well, for it is tried all the time.
        if (!(await serverAnswers(client))) throw unreachable(error);
        if (++unanswered >= MOST_UNANSWERED) throw error;
      }
      if (!isMoving && !(await isWorthAnotherTry(client, conversationId, error))) throw error;
      const wait = isMoving
        ? Math.min(moves * MOVING_WAIT_MS, MOVING_LONGEST_WAIT_MS)
        : tries * FIRST_WAIT_MS;
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** The conversation said so, or its run ended with the update in hand. */
export function wasMoving(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return false;
  if (cause.type === "AcceptedUpdateCompletedWorkflow") return true;
  const [details] = cause.details ?? [];
  return isJsonObject(details) && details.reason === "moving";
}

async function isWorthAnotherTry(client: Client, id: string, error: unknown): Promise<boolean> {
  if (wasHandedBack(error) || isBusy(error) || isUnansweredQuery(error)) return true;
  // The run that was asked has ended. Whether the conversation has, its newest run tells.
  return error instanceof WorkflowNotFoundError && (await isOpen(client, id));
}

function isBusy(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause)) return false;
  return [RESOURCE_EXHAUSTED, UNAVAILABLE].includes(cause.code) && !NOT_BUSY.test(cause.details);
}

function isOpen(client: Client, id: string): Promise<boolean> {
  return client.workflow
    .getHandle(id)
    .describe()
    .then(
      ({ status }) => status.name === "RUNNING",
      () => false,
    );
}
