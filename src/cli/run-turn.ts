/** A turn from its acceptance to its answer, shown on the way. */
import type { RunResult } from "../client/run-result.js";
import type { Turn } from "../client/turn.js";
import type { TurnDisplay } from "./turn-display.js";

/** What `Conversation.run` and `resend` need to be followed. */
export interface Follow {
  readonly onAccepted: (turn: Turn) => void;
  readonly signal?: AbortSignal;
}

/** Runs the turn that `start` begins, and resolves once the display has shown its answer. */
export async function runTurn(
  start: (follow: Follow) => Promise<RunResult>,
  display: TurnDisplay,
  options: { readonly signal?: AbortSignal; readonly onAccepted?: (turn: Turn) => void } = {},
): Promise<RunResult> {
  let shown: Promise<void> = Promise.resolve();
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const onAccepted = (turn: Turn): void => {
    options.onAccepted?.(turn);
    shown = show(turn, display, options.signal);
  };
  try {
    const result = await start({ onAccepted, ...signal });
    await shown;
    display.finish(result);
    return result;
  } catch (error) {
    await shown;
    display.abandon();
    throw error;
  }
}

/** A stream that cannot be read costs the reader the text on its way, never the answer. */
async function show(turn: Turn, display: TurnDisplay, signal: AbortSignal | undefined): Promise<void> {
  try {
    for await (const frame of turn.stream(signal === undefined ? {} : { signal })) display.take(frame);
  } catch {
    // The answer comes by the other way.
  }
}
