/** Counts of tokens, whatever a server says for one: what is made of them are sums, budgets and envelopes, which hold whole numbers from 0 on. */
import { isJsonObject, type JsonValue } from "../json.js";

/** The field of a provider's usage; 0 where it is absent, or no number. */
export function tokenCount(raw: JsonValue | undefined, name: string): number {
  const value = isJsonObject(raw) ? raw[name] : undefined;
  return typeof value === "number" ? wholeCount(value) : 0;
}

export function tokenSum(...counts: readonly number[]): number {
  return wholeCount(counts.reduce((sum, count) => sum + count, 0));
}

function wholeCount(value: number): number {
  if (!(value > 0)) return 0;
  return Math.min(Math.round(value), Number.MAX_SAFE_INTEGER);
}
