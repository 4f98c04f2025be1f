/** Cases of conversion kept as files: a history in one dialect, and what it must become in another. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import type { ConversionReportEntry, NativeMessage } from "../../../src/core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import type { DialectName } from "../../../src/core/providers.js";
import { repositoryRoot } from "../../support/source-file.js";

/** A bare list, or an object in which system text stands beside it under the wire's own names. */
type NativeHistory = readonly NativeMessage[] | JsonObject;

export interface ConversionCase {
  readonly name: string;
  readonly title: string;
  readonly from: DialectName;
  readonly to: DialectName;
  readonly input: NativeHistory;
  readonly expected: NativeHistory;
  readonly report: readonly ConversionReportEntry[];
  /** Instead of `expected` and `report`: what the refusal names, `<call> at <list>[<index>]` at its end. */
  readonly throws: string;
}

export interface SplitHistory {
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
}

export function readCases(family: string): readonly ConversionCase[] {
  const folder = join(repositoryRoot, "test/fixtures/cases", family);
  return readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return { name: basename(file, ".json"), ...(JSON.parse(text) as Omit<ConversionCase, "name">) };
  });
}

export function splitHistory(history: NativeHistory): SplitHistory {
  if (Array.isArray(history)) return { messages: history as readonly NativeMessage[], system: null };
  const object = history as JsonObject;
  const system = object.system ?? object.systemInstruction ?? object.instructions;
  const messages = object.messages ?? object.contents ?? object.input;
  return {
    messages: messages as unknown as readonly NativeMessage[],
    system: typeof system === "string" ? system : null,
  };
}

export function convertCase({ from, to, input }: ConversionCase): ReturnType<typeof convertHistory> {
  return convertHistory({ from, to, ...splitHistory(input) });
}

/** What of a report is fixed, sorted: the wording is free, and so is the order. */
export function factsOf(report: readonly ConversionReportEntry[]): readonly string[] {
  return report.map(({ kind, artefact, index }) => `${index} ${kind} ${artefact}`).sort();
}

const ID_FIELDS: ReadonlySet<string> = new Set(["id", "call_id", "tool_use_id", "tool_call_id"]);

/** The history with every id that its source does not have replaced by its number of first appearance. */
export function withNumberedIds(history: SplitHistory, source: NativeHistory): JsonValue {
  const kept = new Set(idsIn(source as JsonValue));
  const numbers = new Map<string, string>();
  const numbered = (id: string): string => {
    if (kept.has(id)) return id;
    const number = numbers.get(id) ?? `made ${numbers.size + 1}`;
    numbers.set(id, number);
    return number;
  };
  return mapIds(history as unknown as JsonValue, numbered);
}

function mapIds(value: JsonValue, map: (id: string) => string): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((entry) => mapIds(entry, map));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([field, entry = null]) => [
    field,
    ID_FIELDS.has(field) && typeof entry === "string" ? map(entry) : mapIds(entry, map),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

export function idsIn(value: JsonValue): readonly string[] {
  const ids: string[] = [];
  mapIds(value, (id) => {
    ids.push(id);
    return id;
  });
  return ids;
}
