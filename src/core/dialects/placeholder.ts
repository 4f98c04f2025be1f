/** What stands in a message or a result that would otherwise be empty: every wire refuses those, or the model asks why. */
import type { ConversionReportEntry } from "../envelope/envelope.js";
import type { Origin, PivotText } from "./pivot.js";
import { added } from "./report.js";

export const PLACEHOLDER = "[content left out]";

export interface Placeholder {
  readonly part: PivotText;
  readonly report: ConversionReportEntry;
}

export function placeholder(origin: Origin): Placeholder {
  return { part: { kind: "text", text: PLACEHOLDER, origin }, report: added("placeholder", origin) };
}
