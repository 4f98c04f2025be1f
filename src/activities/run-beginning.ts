/** The history with which a run of a conversation began, from the arguments in the run's first event. */
import { setImmediate } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { valuesOf } from "../connection/payload-values.js";
import { firstEvent, type RunOf } from "../connection/run-events.js";
import type { Root } from "../core/conversation/activity-contract.js";
import { startingState } from "../core/conversation/continue.js";
import {
  type ConversationHead,
  type ConversationState,
  listOf,
  type Segment,
} from "../core/conversation/state.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject } from "../core/json.js";
import { jsonByteLength } from "../core/json-byte-length.js";

export interface RunBeginning {
  readonly state: ConversationState;
  readonly root: Root;
  readonly messages: readonly NativeMessage[];
  /** Of the messages, as JSON. */
  readonly bytes: number;
}

/**
 * One call to the server, whatever the length of the history: its segments come from the payload store side by side, while pages
 * come one after the other. Undefined where the arguments are not what this build knows.
 *
 * @throws what the server, the payload store or a codec throws.
 */
export async function readRunBeginning(client: Client, run: RunOf): Promise<RunBeginning | undefined> {
  const event = await firstEvent(client, run);
  const [head, ...parts] = await valuesOf(
    client,
    event?.workflowExecutionStartedEventAttributes?.input?.payloads,
  );
  if (!isJsonObject(head) || !parts.every(hasMessages)) return undefined;
  const state = startingState(head as unknown as ConversationHead, parts);
  const { root } = state.head;
  const messages = listOf(state, "messages");
  if (root?.count !== messages.length) return undefined;
  return { state, root, messages, bytes: await bytesOf(parts) };
}

function hasMessages(part: unknown): part is Segment {
  return isJsonObject(part) && Array.isArray(part.messages);
}

async function bytesOf(parts: readonly Segment[]): Promise<number> {
  let bytes = 0;
  for (const { messages } of parts) {
    bytes += jsonByteLength(messages);
    await setImmediate();
  }
  return bytes;
}
