/** What was seen of one seed, or of one systematic case: all that the invariants and the report go by. */
import type { CallPoint } from "../../src/activities/call-point.js";
import type { TurnView } from "../../src/core/conversation/messages.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import type { CallRecord } from "../../src/simulator/call-log.js";

/** A message that a caller has sent, until it was taken or refused. */
export interface SentMessage {
  readonly conversation: string;
  readonly turnId: string;
  /** At the beginning of its text, and nowhere else. */
  readonly tag: string;
  /** How many faults the provider has in store for it: its first calls meet them. */
  readonly faults: number;
  /** True once the server has taken it: by a receipt, or by the signal that it acknowledged. */
  readonly accepted: boolean;
  /** The class of the error by which it was refused at once; it was not accepted then. */
  readonly refusal?: string;
  /** When its stop was sent, in milliseconds since the epoch. */
  readonly cancelledAt?: number;
}

/** What a reader of a turn's frames saw at the end. */
export interface Reading {
  readonly turnId: string;
  readonly state: string | undefined;
}

export interface ObservedConversation {
  readonly id: string;
  readonly messages: readonly SentMessage[];
  readonly views: ReadonlyMap<string, TurnView>;
  readonly envelope: Envelope;
  readonly readings: readonly Reading[];
  /** What was wrong with exports and checkpoint files that were looked at while it ran. */
  readonly faults: readonly string[];
  readonly exports: number;
  readonly checkpoints: number;
  /** Errors that a caller met and that the contract does not name. */
  readonly surprises: readonly string[];
  readonly failedTasks: readonly string[];
  readonly replayIssues: readonly string[];
  readonly runs: number;
  readonly settledTools: readonly SettledTool[];
}

/** A call of a tool whose end stands in the history. */
export interface SettledTool {
  readonly key: string;
  readonly at: number;
  readonly isError: boolean;
}

/** A line that a tool has written. */
export interface ToolLine {
  readonly at: number;
  readonly tool: string;
  readonly key: string;
  readonly what: "begun" | "ended";
  readonly pid: number;
}

/** A line that a worker has written at a point of a call. */
export interface TraceLine {
  readonly at: number;
  readonly pid: number;
  readonly point: CallPoint;
  readonly conversation: string;
  readonly run: string;
  /** Counted anew in each run. */
  readonly activity: string;
  readonly attempt: number;
}

export interface WorkerLife {
  readonly pid: number;
  /** The folder of its journal: workers of one host share one. */
  readonly host: string;
  readonly spawnedAt: number;
  readonly readyAt: number;
  /** Undefined while it lives. */
  readonly killed?: { readonly at: number; readonly why: string };
  /** Times in which it stood still (SIGSTOP). */
  readonly stopped: readonly Span[];
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A call to a model, as the simulator saw it. */
export interface SeenCall extends Omit<CallRecord, "body"> {
  /** Messages in its request: with the tag it tells the calls of one turn apart. */
  readonly length: number;
}

export interface Observation {
  readonly name: string;
  readonly conversations: readonly ObservedConversation[];
  readonly calls: readonly SeenCall[];
  readonly workers: readonly WorkerLife[];
  /** Times in which the server was away. */
  readonly outages: readonly Span[];
  readonly trace: readonly TraceLine[];
  readonly tools: readonly ToolLine[];
  readonly tookMs: number;
}

export interface Violation {
  readonly invariant: string;
  readonly conversation: string;
  readonly text: string;
}
