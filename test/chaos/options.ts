/** How a run of chaos is asked for. */
import { parseArgs } from "node:util";
import type { Break } from "./world.js";

export interface ChaosOptions {
  /** The first seed. */
  readonly seed: number;
  readonly seeds: number;
  /** No further seed is begun after so many minutes. */
  readonly minutes: number;
  readonly cases: boolean;
  readonly json: boolean;
  readonly broken: Break | undefined;
}

export const HELP = `npm run test:chaos -- [options]

  --seed N       the first seed; default: drawn from the clock, and printed
  --seeds N      how many, one after the other; default 5
  --minutes N    begin no further seed after so many minutes; default 30
  --no-cases     without the systematic cases: every point of a call, stale and damaged journals
  --break WHAT   break something on purpose: journal (none is kept), tools (each runs twice)
  --json         the report as JSON on stdout

Exit code 1 where anything did not hold; the folder with its histories, journals and server file is printed.`;

/** Undefined where help is asked for. @throws Error in one line for what is no option. */
export function chaosOptions(args: readonly string[]): ChaosOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      seeds: { type: "string", default: "5" },
      minutes: { type: "string", default: "30" },
      "no-cases": { type: "boolean", default: false },
      break: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    seed: numberOf("seed", values.seed),
    seeds: numberOf("seeds", values.seeds),
    minutes: numberOf("minutes", values.minutes),
    cases: !values["no-cases"],
    json: values.json,
    broken: brokenOf(values.break),
  };
}

function numberOf(name: string, value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new Error(`--${name} takes a number, not ${JSON.stringify(value)}.`);
}

function brokenOf(value: string | undefined): Break | undefined {
  if (value === undefined || value === "journal" || value === "tools") return value;
  throw new Error(`--break takes journal or tools, not ${JSON.stringify(value)}.`);
}
