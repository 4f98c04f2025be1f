/** Report entries: loss is data. Kinds and artefacts are a fixed vocabulary; only the wording of `detail` is free. */
import type { ConversionReportEntry } from "../envelope/envelope.js";
import type { Origin } from "./pivot.js";

export const ARTEFACTS = [
  "thinking",
  "signature",
  "server-tool",
  "citation",
  "cache-marker",
  "file-ref",
  "media",
  "item-id",
  "error-flag",
  "metadata",
  "refusal",
  "system",
  "order",
  "empty",
  "compaction",
  "reference",
  "control",
  "tool-definition",
  "tool-output",
  "document",
  "search-result",
  "text",
  "tool-name",
  "tool-call-id",
  "args",
  "tool-result",
  "placeholder",
  "user-turn",
  "sentinel",
  "reasoning",
] as const;
export type Artefact = (typeof ARTEFACTS)[number];

export function entry(
  kind: ConversionReportEntry["kind"],
  artefact: Artefact,
  origin: Origin,
  detail?: string,
): ConversionReportEntry {
  const { index, path } = origin;
  const said = path === "" || !detail ? path || detail : `${path} ${detail}`;
  return said ? { kind, artefact, index, detail: said } : { kind, artefact, index };
}

export const dropped = (artefact: Artefact, origin: Origin, detail?: string): ConversionReportEntry =>
  entry("dropped", artefact, origin, detail);
export const textified = (artefact: Artefact, origin: Origin, detail?: string): ConversionReportEntry =>
  entry("textified", artefact, origin, detail);
export const moved = (artefact: Artefact, origin: Origin, detail?: string): ConversionReportEntry =>
  entry("moved", artefact, origin, detail);
export const added = (artefact: Artefact, origin: Origin, detail?: string): ConversionReportEntry =>
  entry("added", artefact, origin, detail);
export const changed = (artefact: Artefact, origin: Origin, detail?: string): ConversionReportEntry =>
  entry("changed", artefact, origin, detail);
export const wrapped = (origin: Origin, detail?: string): ConversionReportEntry =>
  entry("wrapped", "args", origin, detail);
export const rekeyed = (origin: Origin, detail?: string): ConversionReportEntry =>
  entry("rekeyed", "tool-call-id", origin, detail);
