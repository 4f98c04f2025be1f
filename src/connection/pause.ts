/** Waiting that may be cut short. */

/** An aborted wait is no failure: nothing is made of it, where an error with its stack would be made for each turn. */
export const OVER: unique symbol = Symbol("no longer waited for");

/** Resolves after so many milliseconds, or at once when the signal is aborted. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
