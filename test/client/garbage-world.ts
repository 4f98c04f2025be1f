/** A store, conversations and a server for garbage collection, all in this process. */
import { createHash } from "node:crypto";
import type { WorkflowHandle } from "@temporalio/client";
import type { ClientContext } from "../../src/client/client-context.js";
import { ConversationSlots } from "../../src/client/conversation-slots.js";
import { ClosedConversations } from "../../src/connection/closed-conversations.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import type { FileMarker } from "../../src/core/envelope/envelope.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { queryHandle } from "../support/query-handle.js";

export interface Blob {
  readonly key: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** A blob of this text, as it lies in a store. */
export function blobOf(text: string, extension = "txt"): Blob {
  const bytes = new TextEncoder().encode(text);
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { key: `${digest}.${extension}`, digest, bytes };
}

export function markerOf({ key, bytes }: Blob): FileMarker {
  return { marker: `$media:${key}`, mime_type: "text/plain", size_bytes: bytes.byteLength, name: "a.txt" };
}

export interface OpenConversation {
  readonly state: () => ConversationState;
  /** Asked before each query. */
  readonly before?: () => Promise<void>;
}

/** `open` is asked for at each listing, so that conversations can come and go. */
export function garbageContext(options: {
  readonly folder: string;
  readonly store: MediaStore;
  readonly stores?: Readonly<Record<string, MediaStore>>;
  readonly open?: () => Readonly<Record<string, OpenConversation>>;
  /** What the server still knows of those that were closed. */
  readonly closed?: Readonly<Record<string, OpenConversation>>;
}): ClientContext {
  const {
    folder,
    store,
    open = (): Readonly<Record<string, OpenConversation>> => ({}),
    closed = {},
  } = options;
  const getHandle = (id: string, runId?: string): WorkflowHandle => {
    const found = runId === undefined ? open()[id] : closed[id];
    const { handle } = queryHandle(() => {
      if (found === undefined) throw new Error(`no ${id}`);
      return found.state();
    });
    const query = async (...asked: Parameters<WorkflowHandle["query"]>): Promise<unknown> => {
      await found?.before?.();
      return handle.query(...asked);
    };
    return { workflowId: id, query } as unknown as WorkflowHandle;
  };
  const list = async function* ({ query }: { readonly query: string }) {
    const asked = query.includes("'Running'") ? open() : closed;
    for (const workflowId of Object.keys(asked))
      yield {
        workflowId,
        runId: "run",
        taskQueue: "holdfast",
        startTime: new Date("2026-01-01"),
        status: { name: "COMPLETED" },
      };
  };
  const lastEnvelopes = new ClosedConversations(store, folder);
  return {
    client: { workflow: { list, getHandle } },
    settings: { mediaStore: folder, payloadStore: `${folder}-payloads`, taskQueue: "holdfast" },
    mediaStore: store,
    stores: options.stores ?? {},
    closed: lastEnvelopes,
    queries: new ConversationSlots(2),
    cwd: folder,
  } as unknown as ClientContext;
}
