/** How long a run may be for one more round of tools: a run cannot end within a turn, and the server ends one that is too long for good. */
import type { RunLength } from "../core/conversation/activity-contract.js";
import type { TurnBounds } from "./dependencies.js";

/** Why no further round begins, in one line; undefined where one may, and where nothing is known of the run. */
export function fullText(
  run: RunLength | undefined,
  { runEvents, runBytes }: Pick<TurnBounds, "runEvents" | "runBytes">,
): string | undefined {
  if (run === undefined || (run.events < runEvents && run.bytes < runBytes)) return undefined;
  return `The history of this turn's run is full: ${run.events} events and ${run.bytes} bytes, where tools are run up to ${runEvents} and ${runBytes}. Ask for less at once, or let tools answer with less: a large result as a file.`;
}
