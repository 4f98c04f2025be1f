/** What one item of a Responses history becomes. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { PivotEntry } from "../pivot.js";

export interface ItemReading {
  /** Absent where nothing of the item crosses. */
  readonly entry?: PivotEntry;
  readonly report: readonly ConversionReportEntry[];
}
