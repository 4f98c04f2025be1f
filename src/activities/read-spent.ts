/** What the call that runs or waits in a conversation has cost so far, as the server knows it. */
import { Context } from "@temporalio/activity";
import { valuesOf } from "../connection/payload-values.js";
import type { CallModelFailureDetails, ReadSpentInput } from "../core/conversation/activity-contract.js";
import { isJsonObject } from "../core/json.js";

/** Null where no call is pending, or nothing is known of it. */
export async function readSpent(input: ReadSpentInput): Promise<CallModelFailureDetails | null> {
  const { client } = Context.current();
  const handle = client.workflow.getHandle(input.conversation_id, input.run_id);
  const { raw } = await handle.describe();
  const pending = raw.pendingActivities?.findLast(({ activityType }) => activityType?.name === "callModel");
  const [beat] = await valuesOf(client, pending?.heartbeatDetails?.payloads);
  const [failed] = await valuesOf(client, pending?.lastFailure?.applicationFailureInfo?.details?.payloads);
  const spent = [spentByBeat(beat), spentByFailure(failed)].filter((found) => found !== null);
  // The last beat of an attempt comes before its failure, which also says how the answer began.
  return spent.reduce<CallModelFailureDetails | null>((latest, found) => later(latest, found), null);
}

function later(one: CallModelFailureDetails | null, other: CallModelFailureDetails): CallModelFailureDetails {
  return one === null || other.attempt >= one.attempt ? other : one;
}

function spentByBeat(value: unknown): CallModelFailureDetails | null {
  if (!isJsonObject(value) || typeof value.calls !== "number") return null;
  return {
    attempt: typeof value.attempt === "number" ? value.attempt : 0,
    provider_calls: value.calls,
    ...(typeof value.partial_text === "string" ? { partial_text: value.partial_text } : {}),
  };
}

function spentByFailure(value: unknown): CallModelFailureDetails | null {
  if (!isJsonObject(value) || typeof value.provider_calls !== "number") return null;
  return {
    attempt: typeof value.attempt === "number" ? value.attempt : 0,
    provider_calls: value.provider_calls,
    ...(typeof value.partial_text === "string" ? { partial_text: value.partial_text } : {}),
  };
}
