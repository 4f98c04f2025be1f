/** Frames: what a reader sees of a running turn. They travel beside the event history, never in it. */
import type { TurnResult } from "./messages.js";

interface FramePosition {
  readonly turn: string;
  /** The activity attempt; a higher one replaces what an earlier one showed. */
  readonly attempt: number;
  /** Rises by one within an attempt, from 0. */
  readonly seq: number;
}

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
    | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
    | {
        readonly type: "tool_result";
        readonly id: string;
        readonly output: string;
        readonly is_error: boolean;
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
  );

/** Where a worker puts frames. `push` never blocks and never throws: a lost reader must not hold up a turn. */
export interface FrameSink {
  push(conversationId: string, frame: Frame): void;
  /** Resolves when what was pushed has left this process, or after two seconds. */
  flush(): Promise<void>;
}

/** Where a client reads frames: those kept of the turn first, then live ones, until its end frame or the abort. */
export interface FrameSource {
  subscribe(
    conversationId: string,
    turnId: string,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<Frame>;
}
