/** What the tour tells the processes that it starts, over the channel that ends with it. */
import type { Settings, SettingsOptions } from "../../connection/settings.js";

/** Everything by which a process finds the tour's own server, whatever the environment names. */
export type StackAddress = Pick<
  SettingsOptions,
  "address" | "namespace" | "taskQueue" | "mediaStore" | "payloadStore" | "stream"
>;

export interface WorkerOrder {
  readonly stack: StackAddress;
  readonly env: NodeJS.ProcessEnv;
}

export interface ContinuationOrder {
  readonly stack: StackAddress;
  readonly checkpoint: string;
  readonly model: string;
  readonly instructions: string;
  readonly question: string;
}

/** From a started process: it is ready, or it failed and these are its words. */
export type ProcessReport = { readonly ready: true } | { readonly failed: string };

export function stackAddress(settings: Settings): StackAddress {
  const { connection, namespace, taskQueue, mediaStore, payloadStore, stream } = settings;
  return {
    address: connection.address,
    namespace,
    taskQueue,
    mediaStore,
    payloadStore,
    ...(stream === null ? {} : { stream }),
  };
}
