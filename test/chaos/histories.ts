/** What the server has kept of a conversation: which tools have settled, which tasks have failed, and whether it replays. */

import type proto from "@temporalio/proto";
import { Worker } from "@temporalio/worker";
import { builtFile } from "../../src/connection/built-file.js";
import { createDataConverter } from "../../src/connection/data-converter.js";
import { openPayloadStore } from "../../src/connection/open-payload-store.js";
import type { Settings } from "../../src/connection/settings.js";
import { sha256Hex } from "../../src/core/hash.js";
import { isJsonObject, type JsonObject } from "../../src/core/json.js";
import { quieten } from "../support/replay.js";
import type { History } from "../support/short-runs.js";
import type { SettledTool } from "./observation.js";

type Event = proto.temporal.api.history.v1.IHistoryEvent;
type Payloads = proto.temporal.api.common.v1.IPayloads | null | undefined;

export function settledTools({ events }: History): readonly SettledTool[] {
  const keys = new Map<string, string>();
  return (events ?? []).flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === "callTool") {
      const { conversation_id, turn_id, round, position } = firstOf(scheduled.input) ?? {};
      const key = sha256Hex(
        JSON.stringify([conversation_id ?? "", turn_id ?? "", round ?? 0, position ?? 0]),
      );
      keys.set(String(event.eventId), key);
      return [];
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const key = keys.get(String(completed?.scheduledEventId));
    if (key === undefined) return [];
    return [{ key, at: timeOf(event), isError: firstOf(completed?.result)?.is_error === true }];
  });
}

function timeOf({ eventTime }: Event): number {
  return Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor(Number(eventTime?.nanos ?? 0) / 1e6);
}

function firstOf(payloads: Payloads): JsonObject | undefined {
  const [payload] = payloads?.payloads ?? [];
  if (payload?.data == null) return undefined;
  const value: unknown = JSON.parse(Buffer.from(payload.data).toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}

export interface NamedHistory {
  readonly workflowId: string;
  readonly history: History;
}

/** Why histories do not replay under the built workflow, by their conversation. */
export async function replayIssues(
  histories: readonly NamedHistory[],
  settings: Settings,
): Promise<ReadonlyMap<string, readonly string[]>> {
  quieten();
  const dataConverter = createDataConverter(openPayloadStore(settings));
  const workflowBundle = { codePath: builtFile("workflow-bundle.js") };
  const found = new Map<string, string[]>();
  const results = Worker.runReplayHistories({ workflowBundle, dataConverter }, histories);
  for await (const { workflowId, error } of results) {
    if (error === undefined) continue;
    found.set(workflowId, [...(found.get(workflowId) ?? []), String(error).slice(0, 500)]);
  }
  return found;
}
