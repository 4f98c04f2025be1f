/** Work that ends when somebody asks for it or when its time is up, so that what it started can be ended in order. */
import { setTimeout as delay } from "node:timers/promises";
import { TourError } from "./tour-error.js";

/** How long stopped work may take to notice it. */
const SETTLE_MS = 1_000;

/** The work's own result. @throws TourError when the stop, or the end of the time, comes first. */
export async function untilStopped<T>(
  stopped: Promise<unknown>,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = `The tour was not done after ${limitMs / 1_000} s and has been stopped.`;
  const timer = setTimeout(() => stop.abort(new TourError(late)), limitMs);
  void stopped.then(() => stop.abort(new TourError("Stopped before the end; nothing is left running.")));
  const working = work(stop.signal);
  const aborted = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
  try {
    await Promise.race([working, aborted]);
    if (!stop.signal.aborted) return await working;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  await Promise.race([working.catch(() => undefined), delay(SETTLE_MS)]);
  throw stop.signal.reason;
}
