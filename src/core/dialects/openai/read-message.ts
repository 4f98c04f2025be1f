/** Messages of a Responses history: written by hand or by the model, with a string or a list of parts. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { Origin, PivotPart, PivotText } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped } from "../report.js";
import type { ItemReading } from "./item-reading.js";
import { lostFields } from "./lost-fields.js";
import { type ContentReading, readContent } from "./read-parts.js";
import type { Item } from "./wire.js";

const CARRIED: ReadonlySet<string> = new Set(["type", "role", "content"]);

/** `leading`: nobody has said anything yet. */
export function readMessage(item: Item, origin: Origin, leading: boolean): ItemReading {
  const content = readContent(item.content, origin.index, "content");
  const fields = lostFields(item, CARRIED, origin);
  const report = fields.length === 0 ? content.report : [...content.report, ...fields];
  switch (item.role) {
    case "user":
      return readUser(item, content, report, origin);
    case "assistant":
      return readAssistant(content, report, origin);
    case "system":
    case "developer":
      return readSystem(content, report, origin, leading);
    default:
      return {
        report: [...report, dropped("metadata", origin, `message of an unknown role ${String(item.role)}`)],
      };
  }
}

function readUser(
  item: Item,
  { parts, lost, report: said }: ContentReading,
  report: readonly ConversionReportEntry[],
  origin: Origin,
): ItemReading {
  if (parts.length > 0) {
    const plain = typeof item.content === "string" ? ({ plain: true } as const) : {};
    return { entry: { kind: "user", origin, parts, ...plain }, report };
  }
  if (!lost) return { report: emptied(said, report, origin, "user") };
  const stand = placeholder(origin);
  return { entry: { kind: "user", origin, parts: [stand.part] }, report: [...report, stand.report] };
}

function readAssistant(
  { parts, report: said }: ContentReading,
  report: readonly ConversionReportEntry[],
  origin: Origin,
): ItemReading {
  if (parts.length === 0) return { report: emptied(said, report, origin, "assistant") };
  return { entry: { kind: "assistant", origin, parts }, report };
}

/** Where content was there and could not be carried, its own entries say so. */
function emptied(
  said: readonly ConversionReportEntry[],
  report: readonly ConversionReportEntry[],
  origin: Origin,
  role: string,
): readonly ConversionReportEntry[] {
  return said.length > 0 ? report : [dropped("empty", origin, `${role} message without content`), ...report];
}

/** System text is text alone in every dialect. */
function readSystem(
  { parts }: ContentReading,
  report: readonly ConversionReportEntry[],
  origin: Origin,
  leading: boolean,
): ItemReading {
  const media = parts.filter((part) => part.kind === "media");
  const lost = media.map((part) =>
    dropped("media", part.origin, `${part.mime_type ?? "image"} in system text`),
  );
  const text = parts
    .filter(isText)
    .map((part) => part.text)
    .join("\n");
  if (text === "") return { report: [...report, ...lost] };
  return { entry: { kind: "system", origin, text, leading }, report: [...report, ...lost] };
}

function isText(part: PivotPart): part is PivotText {
  return part.kind === "text";
}
