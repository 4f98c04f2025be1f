/** The simulator's records of calls to models, without their bodies. */
import { isJsonObject } from "../../src/core/json.js";
import type { CallRecord } from "../../src/simulator/call-log.js";
import type { SeenCall } from "./observation.js";

export function seenCalls(records: readonly CallRecord[]): readonly SeenCall[] {
  return records
    .filter(({ generation }) => generation)
    .map(({ body, ...record }) => ({ ...record, length: lengthOf(body) }));
}

function lengthOf(body: unknown): number {
  const list = isJsonObject(body) ? (body.messages ?? body.input ?? body.contents) : undefined;
  return Array.isArray(list) ? list.length : 0;
}

export const isOf = ({ lastUserText }: SeenCall, tag: string): boolean => lastUserText.startsWith(tag);

/** The calls of one turn that are for the same answer: one list a model call, in the order in which they came. */
export function modelCalls(calls: readonly SeenCall[], tag: string): readonly (readonly SeenCall[])[] {
  const byLength = Map.groupBy(
    calls.filter((call) => isOf(call, tag)),
    ({ length }) => length,
  );
  return [...byLength.values()];
}
