/** Media as parts of a Responses message or of a function's output. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { base64ToText } from "../../media/base64-text.js";
import { isMarker } from "../../media/marker.js";
import { bareMimeType, extensionOf } from "../../media/mime.js";
import { isTextType } from "../../media/text-type.js";
import { lostName } from "../lost-name.js";
import type { PivotMedia } from "../pivot.js";
import { dropped, textified } from "../report.js";
import type { ContentPart } from "./wire.js";

export interface WrittenPart {
  /** Absent where the wire takes no such medium. */
  readonly part?: ContentPart;
  readonly report: readonly ConversionReportEntry[];
}

const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const SVG = "image/svg+xml";
/** What the service converts beside PDF: office formats and rich text. */
const OFFICE = /^(?:application\/(?:rtf|msword|vnd\.(?:openxmlformats|ms-|oasis)[\w.-]*)|text\/rtf)$/;
const PDFS: ReadonlySet<string> = new Set(["application/pdf", "application/x-pdf"]);

export function writeMedia(media: PivotMedia): WrittenPart {
  return media.source.type === "url"
    ? writeAddress(media, media.source.url)
    : writeData(media, media.source.data);
}

/** The service reads addresses of documents of any kind, but plays neither sound nor film. */
function writeAddress(media: PivotMedia, url: string): WrittenPart {
  const type = media.mime_type;
  if (type === null || IMAGES.has(type)) return image(media, url);
  if (/^(?:image|audio|video)\//.test(type)) return drop(media);
  return { part: { type: "input_file", file_url: url.toWellFormed() }, report: lostName(media) };
}

function writeData(media: PivotMedia, data: string): WrittenPart {
  const type = bareMimeType(media.mime_type ?? "");
  if (IMAGES.has(type)) return image(media, `data:${type};base64,${data}`);
  if (PDFS.has(type)) return file(media, "application/pdf", data);
  if (OFFICE.test(type)) return file(media, type, data);
  return isTextType(type) || type === SVG ? writeText(media, data) : drop(media);
}

/** A marker stands for bytes that are not here to be read. */
function writeText(media: PivotMedia, data: string): WrittenPart {
  if (isMarker(data)) return drop(media);
  const text = [media.name ?? "", base64ToText(data)].filter((line) => line !== "").join("\n");
  const artefact = media.mime_type === SVG ? "media" : "document";
  const report = [textified(artefact, media.origin, described(media))];
  return { part: { type: "input_text", text: text.toWellFormed() }, report };
}

function image(media: PivotMedia, url: string): WrittenPart {
  const part = { type: "input_image", image_url: url.toWellFormed(), detail: media.detail ?? "auto" };
  return { part, report: lostName(media) };
}

function file({ name }: PivotMedia, type: string, data: string): WrittenPart {
  const filename = name === undefined || name === "" ? `document.${extensionOf(type)}` : name.toWellFormed();
  return { part: { type: "input_file", filename, file_data: `data:${type};base64,${data}` }, report: [] };
}

function drop(media: PivotMedia): WrittenPart {
  return { report: [dropped("media", media.origin, described(media))] };
}

export function described({ mime_type, name }: PivotMedia): string {
  return [mime_type ?? "image", name].filter((word) => word !== undefined).join(" ");
}
