/** What models cost: a table that the user gives. Nothing here knows a price by itself, nor its currency. */
import { type Check, describeValue, is, optional, recordOf, shape } from "./envelope/check.js";
import type { Usage } from "./envelope/envelope.js";
import { UsageError } from "./errors/errors.js";
import { type ResolvedModel, resolveModel } from "./providers.js";

/** For a million tokens, each from 0 to 1,000,000,000. Cached input without a price of its own costs what other input does. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

/** By a model's name, or by the beginning of it with a star: `claude-haiku-*`; `provider:` may stand before it. */
export type Prices = Readonly<Record<string, Price>>;

const MILLION = 1_000_000;
/** Sums stay as they would be written: 0.1 + 0.2 is 0.3. */
const DIGITS = 15;

/** Above what anything costs, and far below what a sum of would be no number any more. */
const MOST_PRICE = 1e9;
const MOST_COST = 1e30;

const rate: Check = is(
  "a number from 0 to 1,000,000,000",
  (value) => typeof value === "number" && value >= 0 && value <= MOST_PRICE,
);

const price: Check = shape<Price>({
  input: rate,
  output: rate,
  cache_read: optional(rate),
  cache_write: optional(rate),
});
const NAMES: readonly string[] = ["input", "output", "cache_read", "cache_write"];

/** A misspelt part of a price would be passed over, so that it is refused. */
const onlyKnown: Check = (value, path) =>
  Object.keys(value ?? {})
    .filter((name) => !NAMES.includes(name))
    .map((name) => ({ path, expected: `${NAMES.join(", ")} only`, found: describeValue(name) }));

const modelName: Check = is(
  "a model's name, or the beginning of one with a star at its end",
  (value) => typeof value === "string" && /^[^*]+\*?$/.test(value),
);

export const checkPrices: Check = recordOf(modelName, (value, path) => [
  ...price(value, path),
  ...onlyKnown(value, path),
]);

/** @throws UsageError in one line, naming the first place that is wrong. */
export function assertPrices(owner: string, value: unknown): asserts value is Prices | undefined {
  if (value === undefined) return;
  const [issue] = checkPrices(value, "prices");
  if (issue === undefined) return;
  throw new UsageError(`${owner}: ${issue.path}: expected ${issue.expected}, found ${issue.found}.`);
}

/** The price under the model's own name, else under the longest beginning of it; of the first table that has one. */
export function priceOf(tables: readonly (Prices | undefined)[], model: string): Price | undefined {
  const resolved = resolveModel(model);
  for (const table of tables) {
    const found = priceIn(table ?? {}, resolved);
    if (found !== undefined) return found;
  }
  return undefined;
}

function priceIn(table: Prices, { provider, model }: ResolvedModel): Price | undefined {
  const names = [model, `${provider}:${model}`];
  const exact = names.find((name) => Object.hasOwn(table, name));
  if (exact !== undefined) return table[exact];
  const beginnings = Object.keys(table).filter(
    (key) => key.endsWith("*") && names.some((name) => name.startsWith(key.slice(0, -1))),
  );
  const length = (key: string): number =>
    key.length - (key.startsWith(`${provider}:`) ? provider.length + 1 : 0);
  const [longest] = beginnings.toSorted((one, other) => length(other) - length(one));
  return longest === undefined ? undefined : table[longest];
}

export function costOf(
  usage: Usage,
  { input, output, cache_read = input, cache_write = input }: Price,
): number {
  const { cache_read_tokens: read, cache_write_tokens: written } = usage;
  const plain = Math.max(0, usage.input_tokens - read - written);
  const sum = plain * input + read * cache_read + written * cache_write + usage.output_tokens * output;
  return rounded(sum / MILLION);
}

/** What so many tokens of input cost if all of them come from the cache, where that is cheapest. */
export function leastCost(tokens: number, { input, cache_read = input, cache_write = input }: Price): number {
  return rounded((tokens * Math.min(input, cache_read, cache_write)) / MILLION);
}

/** The sum of what is known; undefined where nothing is. */
export function addCost(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return rounded(one + other);
}

/** Always a number that JSON has: a cost that is none would be refused with the envelope that holds it. */
function rounded(cost: number): number {
  return Math.min(Number(cost.toPrecision(DIGITS)), MOST_COST);
}
