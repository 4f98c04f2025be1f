/** Temporal's failures, as the errors that a user of Holdfast knows. */
import {
  isGrpcServiceError,
  QueryRejectedError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import { ApplicationFailure, NamespaceNotFoundError } from "@temporalio/common";
import {
  ConversationNotFoundError,
  HoldfastError,
  MissingKeyError,
  NoWorkerError,
  REFUSAL_REASONS,
  RebindRefusedError,
  type RefusalReason,
  ServerUnreachableError,
  SessionCompatibilityError,
  TurnRefusedError,
  UsageError,
} from "../core/errors/errors.js";
import { isJsonObject } from "../core/json.js";

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const FAILED_PRECONDITION = 9;
const UNREACHABLE_CODES: readonly number[] = [DEADLINE_EXCEEDED, 14];
const PERMISSION_CODES: readonly number[] = [7, 16];

/** How our own connection ends a call that it was closed under. */
export const CONNECTION_CLOSED = "The connection was closed.";

/** The error to throw in the place of what a call to the server failed with. What is not known is handed on. */
export function unwrapFailure(error: unknown, conversationId: string): unknown {
  if (error instanceof HoldfastError) return error;
  if (error instanceof WorkflowUpdateFailedError) return refusalOf(error.cause ?? error);
  if (error instanceof WorkflowNotFoundError) return notFound(conversationId);
  if (error instanceof QueryRejectedError) return notFound(conversationId);
  if (error instanceof NamespaceNotFoundError) {
    return new ServerUnreachableError(
      `The Temporal server has no namespace ${error.namespace}: create it, or set TEMPORAL_NAMESPACE to one that it has.`,
      { cause: error },
    );
  }
  if (wasClosedUnder(error)) return closedUnder(conversationId, error);
  const service = serviceCode(error);
  if (isUnansweredQuery(error)) return unanswered(conversationId, error);
  if (service === FAILED_PRECONDITION && wasHandedBack(error)) return unanswered(conversationId, error);
  if (service === FAILED_PRECONDITION && /no poller seen/.test(String(causeOf(error))))
    return nobodyPolls(conversationId, error);
  if (service !== undefined && UNREACHABLE_CODES.includes(service)) return unreachable(error);
  if (service !== undefined && PERMISSION_CODES.includes(service)) {
    return new ServerUnreachableError(
      "The Temporal server does not let this client in: check TEMPORAL_API_KEY and the namespace.",
      { cause: error },
    );
  }
  return error;
}

/**
 * The words with which the server hands back an update or a query that no workflow task has carried to its end, or does not
 * take while the task has been lost several times in a row: workers were killed, or are short of time. “Context canceled” is
 * of a worker that went while the server was handing it the query.
 */
const HANDED_BACK =
  /context canceled|wasn't processed by worker|buffered query cleared|workflow update was aborted|unexpected workflow task failure|Workflow Task in failed state/;

/** True for a call that was never read by the conversation, and that may be made again as it was. */
export function wasHandedBack(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && HANDED_BACK.test(cause.message);
}

/** A stream that the server has reset: at the deadline of its call. */
const DROPPED = /^Call cancelled/;

export function notFound(conversationId: string): ConversationNotFoundError {
  return new ConversationNotFoundError(
    `There is no conversation ${JSON.stringify(conversationId)}: \`holdfast list\` shows those that are open, \`holdfast list --closed\` those that were closed.`,
  );
}

/** Of a conversation that may well be there. */
export function turnNotFound(conversationId: string, turnId: string): ConversationNotFoundError {
  return new ConversationNotFoundError(
    `Conversation ${JSON.stringify(conversationId)} has no turn ${JSON.stringify(turnId.slice(0, 200))}: \`holdfast show ${conversationId}\` lists the ids of its turns.`,
  );
}

export function unreachable(cause: unknown, address?: string): ServerUnreachableError {
  const where = address === undefined ? "" : ` at ${address}`;
  return new ServerUnreachableError(
    `The Temporal server does not answer${where}: is it running? \`holdfast dev\` starts one in this folder, \`holdfast doctor\` tells what is configured.`,
    { cause },
  );
}

/** No worker has answered the query in time: the server says so, has dropped the call at its deadline, or the deadline came first here. */
export function isUnansweredQuery(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !/query/i.test(error.message)) return false;
  const cause = causeOf(error);
  if (!isGrpcServiceError(cause)) return false;
  return cause.code === DEADLINE_EXCEEDED || (cause.code === CANCELLED && DROPPED.test(cause.details));
}

function unanswered(conversationId: string, cause: unknown): NoWorkerError {
  return new NoWorkerError(
    `No worker has answered for conversation ${JSON.stringify(conversationId)} in time: look at the workers' logs, or start more of them with \`holdfast worker\`.`,
    { cause },
  );
}

/** An update's call comes in another wrapping than that of any other. */
function wasClosedUnder(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === CANCELLED && cause.details === CONNECTION_CLOSED;
}

function closedUnder(conversationId: string, cause: unknown): ServerUnreachableError {
  const about = conversationId === "" ? "" : ` for conversation ${JSON.stringify(conversationId)}`;
  return new ServerUnreachableError(
    `The connection was closed before the server had answered${about}: connect again; a turn that was accepted goes on where a worker has it.`,
    { cause },
  );
}

/** A queue whose last worker has left in good order: the server does not even try. */
function nobodyPolls(conversationId: string, cause: unknown): NoWorkerError {
  return new NoWorkerError(
    `No worker takes conversation ${JSON.stringify(conversationId)}: start one with \`holdfast worker\` (or \`holdfast dev\`, which brings its own).`,
    { cause },
  );
}

const causeOf = (error: unknown): unknown => (error instanceof ServiceError ? error.cause : error);

function serviceCode(error: unknown): number | undefined {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) ? cause.code : undefined;
}

/** A refused update says by its type which class it was thrown as in the workflow or its activity. */
function refusalOf(cause: unknown): unknown {
  if (!(cause instanceof ApplicationFailure)) return cause;
  switch (cause.type) {
    case "TurnRefusedError":
      return refusedTurn(
        cause.message,
        isJsonObject(cause.details?.[0]) ? cause.details[0].reason : undefined,
        cause,
      );
    case "RebindRefusedError":
      return new RebindRefusedError(cause.message, { cause });
    case "SessionCompatibilityError":
      return new SessionCompatibilityError(cause.message, { cause });
    case "MissingKeyError":
      return new MissingKeyError(cause.message, { cause });
    case "UsageError":
      return new UsageError(cause.message, { cause });
    default:
      return cause;
  }
}

/** An empty message is a wrong call; everything else that a conversation does not take is a refusal. */
export function refusedTurn(message: string, reason: unknown, cause?: unknown): HoldfastError {
  const options = cause === undefined ? {} : { cause };
  if (reason === "invalid") return new UsageError(message, options);
  const known = REFUSAL_REASONS.find((candidate) => candidate === reason) ?? "invalid";
  return new TurnRefusedError(message, known satisfies RefusalReason, options);
}
