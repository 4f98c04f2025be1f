/** A whole reply handed to the server, whichever attempt the server is at by now. */
import { ActivityNotFoundError, type AsyncCompletionClient } from "@temporalio/client";
import type { CallModelResult } from "../../core/conversation/activity-contract.js";

/** By which a call is known to the server. */
export interface CallIds {
  readonly taskToken: Uint8Array;
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
}

/**
 * By token; where the server has given this attempt up, by id, which ends whatever attempt there is now: the reply has
 * been paid for, and the server keeps one completion of a call. False where the call has ended without it.
 *
 * @throws where the server could not be told.
 */
export async function deliverReply(
  server: AsyncCompletionClient,
  { taskToken, ...byId }: CallIds,
  reply: CallModelResult,
): Promise<boolean> {
  for (const target of [taskToken, byId]) {
    try {
      await (target instanceof Uint8Array ? server.complete(target, reply) : server.complete(target, reply));
      return true;
    } catch (error) {
      if (!(error instanceof ActivityNotFoundError)) throw error;
    }
  }
  return false;
}
