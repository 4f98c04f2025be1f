/** Options that are lengths of time. */
import { UsageError } from "../core/errors/errors.js";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds. @throws UsageError for what is no whole number with its unit. */
export function durationOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? [];
  const milliseconds = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return milliseconds;
  throw new UsageError(
    `--${name} takes a length of time such as 90s, 30m, 12h or 7d, not ${JSON.stringify(text)}.`,
  );
}
