/** A server that has one run of a conversation in its history, with payloads as a worker stores them. */
import type { Client } from "@temporalio/client";
import type { Payload } from "@temporalio/common";
import {
  ExternalStorageRunner,
  loadDataConverter,
} from "@temporalio/common/lib/internal-non-workflow/index.js";
import { createDataConverter } from "../../src/connection/data-converter.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import type { QueryHandle } from "./query-handle.js";

export interface RecordedRun {
  /** What the run began with; an error is what the server answers instead of any event. */
  readonly args: readonly unknown[] | Error;
  /** Activities that have completed since, in order; without a result one that has not. */
  readonly activities?: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly result?: unknown;
  }[];
  readonly store?: MemoryMediaStore;
}

interface HistoryRequest {
  readonly maximumPageSize: number;
  readonly nextPageToken?: Uint8Array | null;
}

export interface RecordedRunClient {
  readonly client: Client;
  /** What was asked for the history. */
  readonly histories: readonly HistoryRequest[];
}

/** `handle` answers the conversation's queries. */
export async function recordedRun(
  { args, activities = [], store = new MemoryMediaStore() }: RecordedRun,
  handle: QueryHandle["handle"],
): Promise<RecordedRunClient> {
  const converter = loadDataConverter(createDataConverter(store));
  const { payloadConverter, externalStorage } = converter;
  if (externalStorage === undefined) throw new Error("The converter has no external storage.");
  const payloadsOf = async (values: readonly unknown[]): Promise<{ readonly payloads: Payload[] }> => ({
    payloads: await new ExternalStorageRunner(externalStorage).store(
      values.map((value) => payloadConverter.toPayload(value)),
    ),
  });
  const events: object[] = [];
  if (!(args instanceof Error))
    events.push({ eventId: 1, workflowExecutionStartedEventAttributes: { input: await payloadsOf(args) } });
  for (const { name, input, result } of activities) {
    const scheduledEventId = events.length + 1;
    const activityType = { name };
    const scheduled = { activityType, input: await payloadsOf([input]) };
    events.push({ eventId: scheduledEventId, activityTaskScheduledEventAttributes: scheduled });
    if (result === undefined) continue;
    const completed = { scheduledEventId, result: await payloadsOf([result]) };
    events.push({ eventId: events.length + 1, activityTaskCompletedEventAttributes: completed });
  }
  const histories: HistoryRequest[] = [];
  const client = {
    options: { namespace: "default", loadedDataConverter: converter },
    workflow: { getHandle: () => handle },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflowService: {
      getWorkflowExecutionHistory: async (request: HistoryRequest) => {
        histories.push(request);
        if (args instanceof Error) throw args;
        return pageFrom(events, request);
      },
    },
  } as unknown as Client;
  return { client, histories };
}

/** A page holds two events at most, so that a reader has to go on. */
function pageFrom(events: readonly object[], request: HistoryRequest) {
  const from = request.nextPageToken?.[0] ?? 0;
  const to = Math.min(events.length, from + Math.min(2, request.maximumPageSize));
  const nextPageToken = to < events.length ? Uint8Array.of(to) : new Uint8Array();
  return { history: { events: events.slice(from, to) }, nextPageToken };
}
