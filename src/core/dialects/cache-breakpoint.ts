/** A cache breakpoint on a part, where the target has no place for it. */
import type { ConversionReportEntry } from "../envelope/envelope.js";
import type { PivotPart } from "./pivot.js";
import { dropped } from "./report.js";

const NONE: readonly ConversionReportEntry[] = [];

export function lostBreakpoint({ cacheBreakpoint, origin }: PivotPart): readonly ConversionReportEntry[] {
  if (cacheBreakpoint === undefined) return NONE;
  const { index, path } = origin;
  return [dropped("cache-marker", { index, path: `${path}.prompt_cache_breakpoint` })];
}
