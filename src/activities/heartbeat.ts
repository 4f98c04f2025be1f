/** Beating for as long as an activity works, so that a dead worker is noticed in seconds (ACT-13). */
import type { Context } from "@temporalio/activity";

const BEAT_MS = 250;

/** Beats at once and then every 250 ms with what `details` says at that moment. Returns its own stop. */
export function startHeartbeat(context: Context, details: () => unknown): () => void {
  context.heartbeat(details());
  return continueHeartbeat(context, details);
}

/** The same of an activity that the server has just heard of: what ends within 250 ms costs no beat. */
export function continueHeartbeat(context: Context, details: () => unknown): () => void {
  const timer = setInterval(() => context.heartbeat(details()), BEAT_MS);
  return () => clearInterval(timer);
}
