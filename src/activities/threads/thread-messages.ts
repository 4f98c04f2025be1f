/** What crosses between the main loop and a thread for one task, over a port of its own. */
import type { MessagePort, Transferable } from "node:worker_threads";
import type { ClosedEnvelope } from "../../connection/closed-conversations.js";
import type { ConversionPreview } from "../../core/conversation/activity-contract.js";
import type { EnvelopePiece } from "../../core/conversation/export.js";
import type { Page } from "../../core/conversation/messages.js";
import type { NativeMessage } from "../../core/envelope/envelope.js";
import type { CallTask, PerformedCall } from "../perform-call.js";
import type { ConversionTask } from "../perform-conversion.js";
import type { CheckpointTask, ExportTask, WrittenCheckpoint } from "../perform-export.js";
import type { FailureData } from "./failure-data.js";

/** The tasks: what each is given, the entries of its long list, what it tells on the way, and what it gives back. */
export interface ThreadTasks {
  readonly callModel: {
    readonly task: CallTask;
    readonly entry: NativeMessage;
    readonly event: CallEvent;
    readonly result: PerformedCall;
  };
  /** The result is the UTF-8 of a `ConvertedConversation` as JSON: it goes into the event as it is. */
  readonly convert: OverPages<ConversionTask, Uint8Array>;
  readonly previewConversion: OverPages<ConversionTask, ConversionPreview>;
  readonly checkpoint: OverPages<CheckpointTask, WrittenCheckpoint>;
  readonly close: OverPages<ExportTask, ClosedEnvelope>;
}

/** A task over a whole conversation as it was read. */
interface OverPages<Task, Result> {
  readonly task: Task;
  readonly entry: Page<EnvelopePiece>;
  readonly event: never;
  readonly result: Result;
}

export type TaskName = keyof ThreadTasks;

export type CallEvent =
  | { readonly type: "calling" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string };

/** What starts a task: small, but for the entries, which follow over the port. */
export interface StartedTask {
  readonly name: TaskName;
  readonly task: unknown;
  readonly port: MessagePort;
}

export type ToThread =
  | { readonly type: "entries"; readonly entries: readonly unknown[] }
  | { readonly type: "begin" }
  | { readonly type: "chunk"; readonly id: number; readonly bytes: Uint8Array }
  /** A blob has been read or written to its end; `found` says whether the store has it. */
  | { readonly type: "stored"; readonly id: number; readonly found: boolean }
  | { readonly type: "abort" };

export type FromThread =
  | { readonly type: "get"; readonly id: number; readonly key: string }
  | { readonly type: "put"; readonly id: number; readonly key: string; readonly bytes: Uint8Array }
  | { readonly type: "event"; readonly event: unknown }
  | { readonly type: "done"; readonly value: unknown }
  | { readonly type: "failed"; readonly failure: FailureData };

/**
 * Sends a message and hands the memory of the bytes in it over, so that neither side copies them, where that memory is
 * theirs alone.
 */
export function postBytes(
  port: MessagePort,
  message: ToThread | FromThread,
  bytes: Uint8Array | undefined,
): void {
  const memory = ownMemory(bytes);
  try {
    port.postMessage(message, memory);
  } catch (error) {
    // Memory that cannot leave its thread (of a store's own making, say) is copied.
    if (memory.length === 0) throw error;
    port.postMessage(message);
  }
}

function ownMemory(bytes: Uint8Array | undefined): readonly Transferable[] {
  if (bytes === undefined || !(bytes.buffer instanceof ArrayBuffer)) return [];
  return bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
}
