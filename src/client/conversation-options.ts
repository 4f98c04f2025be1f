/** What can be said when a conversation is started, restored, made from a history or forked; and with its turns and saves. */
import type { Agent } from "../core/agent.js";
import type { BudgetLimits } from "../core/budget.js";
import type { OnBusy } from "../core/conversation/messages.js";
import type { Envelope, MediaPolicyOption } from "../core/envelope/envelope.js";
import type { MediaStore } from "../core/media/media-store.js";
import type { OutputOption } from "../core/output-schema.js";
import type { DialectName } from "../core/providers.js";
import type { AttachedFile } from "./attach-files.js";
import type { StreamOptions, Turn } from "./turn.js";

export type IfExists = "error" | "open" | "replace";

export interface StartOptions {
  /** The workflow id. A random one without it. */
  readonly id?: string;
  readonly ifExists?: IfExists;
  /** A file on the worker's machine that is rewritten after every ended turn. */
  readonly checkpoint?: { readonly path: string };
}

export interface RestoreOptions {
  /** The envelope's own agent without it. */
  readonly agent?: Agent;
  /** The envelope's own id without it. */
  readonly id?: string;
  readonly ifExists?: "error" | "replace";
  readonly checkpoint?: { readonly path: string };
  /** False: a history of another provider is refused unless it is plain text. Default: true, unless HOLDFAST_CONVERSION=off. */
  readonly convert?: boolean;
  /**
   * Where the bytes of `$media:` markers lie, before the agent's store: a folder, an `s3://` URL, the name of a registered store,
   * or a store.
   */
  readonly mediaStore?: string | MediaStore;
  /**
   * A medium whose bytes are missing or wrong stays in the history and is left out of requests until they are there. Default: a
   * text takes its place.
   */
  readonly preserveMedia?: boolean;
}

/** How a history came to be, and what goes on with it. */
export interface HistoryOptions extends RestoreOptions {
  readonly dialect: DialectName;
  readonly agent: Agent;
  /** A random one without it. */
  readonly id?: string;
  /** System text that belongs to the history, before any that stands beside it. */
  readonly system?: string;
}

export interface ForkOptions extends RestoreOptions {
  /** So many committed turns, or all up to and including the turn of this id. */
  readonly at: number | string;
  /** A random one without it. */
  readonly id?: string;
}

/** A conversation's id, the path of an envelope's file, an envelope's text, or an envelope. */
export type ForkSource = string | Envelope;

export interface SubmitOptions<Output extends OutputOption | undefined = OutputOption | undefined> {
  readonly files?: readonly AttachedFile[];
  /** Submitted twice under one id, a turn runs once. */
  readonly turnId?: string;
  readonly onBusy?: OnBusy;
  /** What the answer must be, in the place of the agent's `output`: a Standard Schema, or { schema } with a JSON Schema. */
  readonly output?: Output;
  /** Of this turn, beside the agent's: the tighter one of each two limits holds. */
  readonly budget?: BudgetLimits;
}

export interface RunOptions<Output extends OutputOption | undefined = OutputOption | undefined>
  extends SubmitOptions<Output> {
  /** Stops the waiting, never the turn. */
  readonly signal?: AbortSignal;
  /** Told once the message is accepted durably, before it is answered: the moment from which the turn can be streamed. */
  readonly onAccepted?: (turn: Turn) => void;
}

/** A new turn with the record's message; `files` and `output` instead of those that it had. */
export type ResendOptions<Output extends OutputOption | undefined = OutputOption | undefined> = Pick<
  RunOptions<Output>,
  "files" | "budget" | "signal" | "onAccepted" | "output"
>;

export interface ConversationStreamOptions extends StreamOptions {
  readonly turnId?: string;
}

/** How a save writes media. What is left out is as the agent says. */
export interface SaveOptions {
  /** The policy of the save. The agent's without it. */
  readonly media?: MediaPolicyOption;
  /** Where `externalize` puts the bytes: a folder, an `s3://` URL, the name of a registered store, or a store. */
  readonly mediaStore?: string | MediaStore;
  /** Under `auto`: the largest part of which the media table gets the bytes. Null: no limit. Default 8 MiB. */
  readonly mediaMaxInlineBytes?: number | null;
}

/** The save that is reported on. */
export type ReportOptions = SaveOptions;

export interface ExportOptions extends SaveOptions {
  /** Also write the text to this file, whole or not at all. */
  readonly path?: string;
  /** Replace a file of the same conversation even when it holds more turns. */
  readonly overwrite?: boolean;
}

/** What became of a conversation that was closed. */
export interface CloseResult {
  /** False where the working store could not be used: then only the server knows the conversation, for as long as it keeps it. */
  readonly envelopeKept: boolean;
  /** Why it was not kept, and what to do. */
  readonly warning?: string;
}
