/** Frames: what a reader sees of a running turn. They travel beside the event history, never in it. */
import type { TurnResult } from "./messages.js";

/** Where a reader stands; its last frame will do. */
export interface FramePosition {
  readonly turn: string;
  /** The activity attempt; a higher one replaces what an earlier one showed. */
  readonly attempt: number;
  /** Rises within an attempt: one by one from the beginning of a round, in any steps in the second half of a ROUND_SEQ. */
  readonly seq: number;
}

/** Where a reader stands in the frames of one turn. */
export type FrameCursor = Omit<FramePosition, "turn">;

/** Round n of a turn is numbered from n times this; what several activities tell at once stands in the second half. */
export const ROUND_SEQ = 1_000_000_000_000;

export type Frame = FramePosition &
  (
    | {
        readonly type: "attempt";
        readonly provider: string;
        readonly model: string;
        readonly simulated: boolean;
      }
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "reasoning"; readonly text: string }
    | {
        readonly type: "tool_call";
        /** Which of the turn's calls, over all rounds, from 1: ids of calls may be equal. */
        readonly call: number;
        readonly id: string;
        readonly name: string;
        readonly arguments: string;
        /** Its number for `approve` and `deny`, where it waits for one of them. */
        readonly approval?: number;
      }
    | {
        readonly type: "tool_result";
        /** As its `tool_call` has it; absent where an earlier build scheduled the call. */
        readonly call?: number;
        readonly id: string;
        readonly output: string;
        readonly is_error: boolean;
      }
    /** Somebody has decided a call that waited. Of a denied one the result follows at once. */
    | {
        readonly type: "tool_approval";
        readonly call: number;
        readonly id: string;
        readonly approved: boolean;
        readonly reason?: string;
        /** What the tool gets in the place of the model's, as JSON text, where the approver has changed them. */
        readonly arguments?: string;
      }
    /** The attempt failed; another follows after the delay. */
    | {
        readonly type: "retry";
        readonly error_type: string;
        readonly error: string;
        readonly delay_ms: number;
      }
    /** The turn has ended and the workflow has acknowledged it; `result` is left out above 64 KiB and when interrupted. */
    | {
        readonly type: "end";
        readonly state: "committed" | "interrupted";
        readonly digest: string | null;
        readonly result?: TurnResult;
      }
    /** Never pushed: a reader's side says that so many frames before the next one (at least) are no longer kept. */
    | { readonly type: "missed"; readonly frames: number }
  );

/** What a worker pushes. */
export type PushedFrame = Exclude<Frame, { readonly type: "missed" }>;

/** Where a worker puts frames. `push` never blocks and never throws: a lost reader must not hold up a turn. */
export interface FrameSink {
  push(conversationId: string, frame: Frame): void;
  /** Resolves when what was pushed has left this process, or after two seconds. */
  flush(): Promise<void>;
  /** Flushes, and lets go of connections. A worker closes the sink that it made itself; one that it was given is the giver's to close. */
  close?(): Promise<void>;
}

export interface SubscribeOptions {
  readonly signal: AbortSignal;
  /** The last frame that the reader has; without it reading starts with the oldest that is kept. */
  readonly from?: FrameCursor;
}

/**
 * Where a client reads frames: those kept of the turn first, then live ones, in the order of attempt and seq, none twice, until
 * its end frame or the abort. An end frame ends the reading whichever attempt it names; a cursor at the end frame reads nothing.
 */
export interface FrameSource {
  subscribe(conversationId: string, turnId: string, options: SubscribeOptions): AsyncIterable<Frame>;
  /** The ids of a conversation's turns as they begin, those that run now first, each once, until the abort. */
  turns?(conversationId: string, options: { readonly signal: AbortSignal }): AsyncIterable<string>;
}
