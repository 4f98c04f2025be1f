/** A turn whose stop is known begins nothing any more. */
import { CancelledFailure, patched } from "@temporalio/workflow";
import type { ConversationState } from "../core/conversation/state.js";

/** Histories that were recorded when a stopped turn began what came within the moments of its stop replay as they were. */
const STOPPED_PATCH = "nothing-after-stop";
/** And those of when a stop was not looked at before a local call either. */
const LOCAL_STOP_PATCH = "stop-before-local";

/** No activity runs that would tell the readers of the turn's end. */
export class StoppedBeforeCall extends CancelledFailure {}

/** @throws StoppedBeforeCall where the turn that runs has been told to stop. */
export function assertNotStopped({ running }: ConversationState, { local }: { readonly local?: true }): void {
  const stop = running?.cancelled ?? null;
  if (stop === null || !(patched(STOPPED_PATCH) || (local === true && patched(LOCAL_STOP_PATCH)))) return;
  throw new StoppedBeforeCall(stop.reason, [{ tool_state: "not_started" }]);
}
