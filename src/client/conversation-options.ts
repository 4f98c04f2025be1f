/** What can be said when a conversation is started, restored, made from a history, or forked. */
import type { Agent } from "../core/agent.js";
import type { Envelope } from "../core/envelope/envelope.js";
import type { DialectName } from "../core/providers.js";

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
