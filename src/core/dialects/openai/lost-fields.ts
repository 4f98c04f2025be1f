/** What items and parts hold beside the content that crosses: ids, marks and settings that no other dialect has a place for. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { Origin } from "../pivot.js";
import { dropped } from "../report.js";

type LostField = (value: JsonValue, origin: Origin) => ConversionReportEntry;

const LOST_FIELDS: Readonly<Record<string, LostField>> = {
  id: (value, origin) => dropped("item-id", origin, String(value)),
  annotations: (value, origin) => dropped("citation", origin, countByType(value)),
  prompt_cache_breakpoint: (_value, origin) => dropped("cache-marker", origin),
  file_id: (value, origin) => dropped("file-ref", origin, String(value)),
};

/** One entry for each field that is set and not among the `carried` ones, also for fields that a newer API adds. */
export function lostFields(
  value: JsonObject,
  carried: ReadonlySet<string>,
  origin: Origin,
): ConversionReportEntry[] {
  const report: ConversionReportEntry[] = [];
  for (const name in value) {
    const field = value[name];
    if (carried.has(name) || saysNothing(field)) continue;
    const known = Object.hasOwn(LOST_FIELDS, name) ? LOST_FIELDS[name] : undefined;
    report.push(
      known === undefined ? dropped("metadata", origin, labelled(name, field)) : known(field, origin),
    );
  }
  return report;
}

const LONGEST_LABEL = 80;

function labelled(name: string, value: JsonValue): string {
  return typeof value === "string" && value.length <= LONGEST_LABEL ? `${name} ${value}` : name;
}

/** Unset, or the state that every finished item has. */
function saysNothing(value: JsonValue | undefined): value is undefined | null {
  if (value === undefined || value === null || value === false) return true;
  if (value === "" || value === "completed") return true;
  return Array.isArray(value) && value.length === 0;
}

/** `2 url_citation, 1 file_path` */
function countByType(value: JsonValue): string {
  const counts = new Map<string, number>();
  for (const annotation of Array.isArray(value) ? value : [value]) {
    const type = isJsonObject(annotation) ? String(annotation.type) : "annotation";
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].map(([type, count]) => `${count} ${type}`).join(", ");
}
