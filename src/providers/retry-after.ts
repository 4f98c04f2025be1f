/** How long a provider asks to wait before the next call. */

/** Reads one response header; null where it is absent. */
export type HeaderReader = (name: string) => string | null;

/**
 * Milliseconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3).
 * `now` is the time in epoch milliseconds. Undefined where the provider asks for nothing that can be read.
 */
export function retryAfterMs(header: HeaderReader, now: number): number | undefined {
  const milliseconds = nonNegative(header("retry-after-ms"));
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const value = header("retry-after");
  const seconds = nonNegative(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = Date.parse(value ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Milliseconds of a protobuf duration as JSON has it: `"12.5s"`. */
export function durationMs(duration: unknown): number | undefined {
  if (typeof duration !== "string" || !duration.endsWith("s")) return undefined;
  const seconds = nonNegative(duration.slice(0, -1));
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

function nonNegative(value: string | null): number | undefined {
  if (value === null || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
