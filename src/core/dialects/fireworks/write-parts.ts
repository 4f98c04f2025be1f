/** Parts of a message as Fireworks takes them: text, images and videos. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { base64ToText } from "../../media/base64-text.js";
import { isMarker } from "../../media/marker.js";
import { isTextType } from "../../media/text-type.js";
import { lostName } from "../lost-name.js";
import type { PivotMedia, PivotPart } from "../pivot.js";
import { dropped, textified } from "../report.js";
import type { ContentPart } from "./wire.js";

/** Not listed, and taken. */
export const WEBP = "image/webp";

/** As documented, and WebP. */
export const IMAGE_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/bmp",
  "image/tiff",
  "image/x-portable-pixmap",
  WEBP,
];
const SVG = "image/svg+xml";

/** What a part becomes; undefined where this wire has no place for it. */
export interface WrittenPart {
  readonly part: ContentPart | undefined;
  readonly report: readonly ConversionReportEntry[];
}

export function writePart(part: PivotPart): WrittenPart {
  if (part.kind === "text") return { part: textPart(part.text), report: [] };
  const written = writeImage(part) ?? writeVideo(part) ?? writeDocument(part);
  return written ?? { part: undefined, report: [dropped("media", part.origin, describe(part))] };
}

export function textPart(text: string): ContentPart {
  return { type: "text", text: text.toWellFormed() };
}

/** Type and name, for a report's reader. */
export function describe({ mime_type, name }: PivotMedia): string {
  return [mime_type ?? "image", name].filter((word) => word !== undefined).join(" ");
}

/** An address without an extension is that of an image. */
function writeImage(media: PivotMedia): WrittenPart | undefined {
  const { mime_type, detail } = media;
  if (mime_type !== null && !IMAGE_TYPES.includes(mime_type)) return undefined;
  const image_url = { url: urlOf(media), ...(detail === undefined ? {} : { detail }) };
  return { part: { type: "image_url", image_url }, report: lostName(media) };
}

function writeVideo(media: PivotMedia): WrittenPart | undefined {
  if (media.mime_type?.startsWith("video/") !== true) return undefined;
  return {
    part: { type: "video_url", video_url: { url: urlOf(media) } },
    report: [...lostName(media), ...lostDetail(media)],
  };
}

/** Text is given as text, under its name, where its bytes are at hand. An SVG is text. */
function writeDocument(media: PivotMedia): WrittenPart | undefined {
  const { mime_type, source, name, origin } = media;
  if (mime_type === null || (mime_type !== SVG && !isTextType(mime_type))) return undefined;
  if (source.type !== "data" || isMarker(source.data)) return undefined;
  const text = base64ToText(source.data);
  const artefact = mime_type === SVG ? "media" : "document";
  return {
    part: textPart(name === undefined ? text : `${name}\n${text}`),
    report: [textified(artefact, origin, describe(media)), ...lostDetail(media)],
  };
}

function lostDetail({ detail, origin }: PivotMedia): readonly ConversionReportEntry[] {
  return detail === undefined ? [] : [dropped("metadata", origin, `detail ${detail}`)];
}

function urlOf({ mime_type, source }: PivotMedia): string {
  return source.type === "url" ? source.url.toWellFormed() : `data:${mime_type ?? ""};base64,${source.data}`;
}

/** One text of several: pieces of a cut answer without a break, others on lines of their own. */
export function joinTexts(parts: readonly { readonly text: string; readonly continues?: true }[]): string {
  return parts
    .reduce((joined, { text, continues }, at) => joined + (at === 0 || continues ? "" : "\n") + text, "")
    .toWellFormed();
}
