/** The user's table of prices, in the file that the environment names. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../core/errors/errors.js";
import { assertPrices, type Prices } from "../core/prices.js";

/** A path of a JSON file: {"claude-haiku-*": {"input": 1, "output": 5}}, for a million tokens. */
export const PRICES_VARIABLE = "HOLDFAST_PRICES";

/** Undefined where no file is named. @throws UsageError for one that cannot be read, or holds no table of prices. */
export function pricesFromEnvironment(env: NodeJS.ProcessEnv, cwd: string): Prices | undefined {
  const named = env[PRICES_VARIABLE]?.trim() ?? "";
  if (named === "") return undefined;
  const path = resolve(cwd, named);
  const table = readTable(path);
  assertPrices(`${PRICES_VARIABLE} (${path})`, table);
  return table;
}

function readTable(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8")) ?? null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${PRICES_VARIABLE} names ${path}, which cannot be read (${why}): write {"claude-haiku-*": {"input": 1, "output": 5}} there, or unset it.`,
      { cause: error },
    );
  }
}
