/** What a message or a block has beyond the fields that cross: each of them is reported, whatever it is called. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { Origin } from "../pivot.js";
import { type Artefact, dropped } from "../report.js";

const ARTEFACT_OF_FIELD: Readonly<Record<string, Artefact>> = {
  signature: "signature",
  tool_changes: "tool-definition",
};

const NONE: readonly ConversionReportEntry[] = [];

/** An entry for each field that holds something and is not among the `carried` ones. */
export function lostFields(
  block: JsonObject,
  origin: Origin,
  carried: readonly string[],
): readonly ConversionReportEntry[] {
  const names = namesOfLost(block, carried);
  return names.length === 0 ? NONE : names.map((name) => lostField(name, block[name], origin));
}

/** The names of the fields that hold something and are not carried. */
export function namesOfLost(value: JsonObject, carried: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const name in value) {
    if (!carried.includes(name) && !isNothing(value[name])) names.push(name);
  }
  return names;
}

function lostField(name: string, value: JsonValue | undefined, origin: Origin): ConversionReportEntry {
  if (name === "cache_control") return dropped("cache-marker", origin);
  if (name === "citations") return dropped("citation", origin, citationsIn(value));
  const path = origin.path === "" ? name : `${origin.path}.${name}`;
  const artefact = Object.hasOwn(ARTEFACT_OF_FIELD, name) ? ARTEFACT_OF_FIELD[name] : undefined;
  return dropped(artefact ?? "metadata", { ...origin, path });
}

/** Null, an empty list or object, and what is switched off say nothing that could be lost. */
function isNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return false;
  const settings = Object.values(value);
  return settings.every((setting) => setting === undefined || setting === null || setting === false);
}

/** `2 char_location, 1 page_location`, or that a document may be cited. */
function citationsIn(value: JsonValue | undefined): string {
  if (!Array.isArray(value)) return "citations enabled";
  const counts = new Map<string, number>();
  for (const citation of value) {
    const kind = isJsonObject(citation) ? String(citation.type) : "citation";
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

/** Whether a text block cites: its neighbours continue its sentence. */
export function isCited(block: JsonObject): boolean {
  return Array.isArray(block.citations) && block.citations.length > 0;
}
