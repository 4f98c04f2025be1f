/** The end frame of a stopped turn whose call nobody answers for any more. */
import type { TellStoppedInput } from "../core/conversation/activity-contract.js";
import type { ActivityDependencies } from "./dependencies.js";
import { AFTER_ATTEMPT, TurnFrames } from "./turn-frames.js";

export async function tellStopped(
  { frames }: ActivityDependencies,
  { conversation_id: conversation, turn_id: turn, attempt }: TellStoppedInput,
): Promise<void> {
  const end = { type: "end", state: "interrupted", digest: null } as const;
  new TurnFrames(frames, { conversation, turn, attempt }, AFTER_ATTEMPT).push(end);
}
