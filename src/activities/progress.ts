/** What every heartbeat of a call says, so that the next attempt goes on counting where a dead worker stopped. */
import type { Context } from "@temporalio/activity";

export interface Progress {
  readonly attempt: number;
  /** Calls that reached the provider, over all attempts. */
  readonly calls: number;
  /** Failures of the provider, over all attempts. */
  readonly failures: number;
}

/** `lost`: attempts of the turn that were given up before this call: they are counted over the whole turn. */
export function progressOf({ info }: Context, lost: number = 0): Progress {
  const before = info.heartbeatDetails as Partial<Progress> | undefined;
  return { attempt: lost + info.attempt, calls: before?.calls ?? 0, failures: before?.failures ?? 0 };
}

/** True where an attempt before this one ended without a word, as it does when its worker dies. */
export function hasLostAttempt({ attempt, failures }: Progress): boolean {
  return attempt > failures + 1;
}
