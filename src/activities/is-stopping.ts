/** Whether a turn has been told to stop, as its conversation knows it. */
import type { Client } from "@temporalio/client";
import type { CallModelInput } from "../core/conversation/activity-contract.js";
import * as m from "../workflows/messages.js";

const QUERY_DEADLINE_MS = 5_000;

/** False also where the conversation does not answer in time: then the server tells of a stop. */
export async function isStopping(
  client: Client,
  { conversation_id, run_id, turn_id }: CallModelInput,
): Promise<boolean> {
  const handle = client.workflow.getHandle(conversation_id, run_id);
  try {
    const { stopping } = await client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
      handle.query(m.turn, { turn_id }),
    );
    return stopping === true;
  } catch {
    return false;
  }
}
