/** A medium's file name or title, where the medium crosses to a place that has none for it. */
import type { ConversionReportEntry } from "../envelope/envelope.js";
import type { PivotMedia } from "./pivot.js";
import { dropped } from "./report.js";

const NONE: readonly ConversionReportEntry[] = [];

export function lostName({ name = "", origin }: PivotMedia): readonly ConversionReportEntry[] {
  return name.trim() === "" ? NONE : [dropped("metadata", origin, `name ${name}`)];
}
