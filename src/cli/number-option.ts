/** Options that are numbers. */
import { UsageError } from "../core/errors/errors.js";

/** @throws UsageError for what is no whole number between the two. */
export function numberOption(
  name: string,
  text: string | undefined,
  from: number,
  to: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`--${name} takes a whole number from ${from} to ${to}, not ${JSON.stringify(text)}.`);
}

export const portOption = (text: string | undefined): number | undefined =>
  numberOption("port", text, 1, 65_535);

/** The least time that an answer of the simulator takes, up to an hour. */
export const paceOption = (text: string | undefined): number | undefined =>
  numberOption("pace", text, 0, 3_600_000);
