/** Whether what a conversation was started with is a head and its segments: shapes only, so that it costs a replay nothing. */
import { isJsonObject } from "../json.js";
import { LIST_NAMES } from "./state.js";

type Is = (value: unknown) => boolean;

const text: Is = (value) => typeof value === "string";
const number: Is = (value) => typeof value === "number";
const list: Is = Array.isArray;

const shape =
  (fields: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isJsonObject(value) && Object.entries(fields).every(([name, is]) => is(value[name]));
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value);
const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);

const pending = shape({ turn_id: text, message: text, accepted_at: text, files: optional(list) });

/** What the workflow reads without asking, of every head that was ever written. What came later is optional. */
const head = shape({
  conversation_id: text,
  created_at: text,
  provider: text,
  model: text,
  agent: shape({ model: text, instructions: text, tools: listOf(isJsonObject), params: isJsonObject }),
  system: orNull(text),
  prefix: shape({ fingerprint: text, tools: listOf(isJsonObject) }),
  agent_digest: text,
  prefix_change_report: orNull(isJsonObject),
  root: shape({ count: number, digest: text }),
  run_count: number,
  totals: shape({ turns: number, provider_calls: number, tool_calls: number, usage: isJsonObject }),
  media_policy: text,
  interrupted_turn: orNull(isJsonObject),
  conversions: optional(number),
  checkpoint: orNull(shape({ path: text })),
  queue: listOf(pending),
  refusals: listOf(isJsonObject),
  recent: listOf(isJsonObject),
  unknown: isJsonObject,
  unknown_metadata: isJsonObject,
  version: optional(number),
  rebinds: optional(list),
  limits: optional(isJsonObject),
});

const segment = shape(Object.fromEntries(LIST_NAMES.map((name) => [name, list])));

export function isStart(given: unknown, segments: readonly unknown[]): boolean {
  return head(given) && segments.every(segment);
}
