/** What readers hear of a tool call that somebody has denied: nothing runs that would tell them. */
import type { TellDeniedInput } from "../../core/conversation/activity-contract.js";
import type { ActivityDependencies } from "../dependencies.js";
import { pushDenial } from "./tool-frames.js";

export async function tellDenied({ frames }: ActivityDependencies, input: TellDeniedInput): Promise<void> {
  pushDenial(frames, input);
}
