/** What a medium becomes in an Anthropic message, by its type. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { base64ToText } from "../../media/base64-text.js";
import { isMarker } from "../../media/marker.js";
import { isTextType } from "../../media/text-type.js";
import { lostName } from "../lost-name.js";
import type { PivotMedia } from "../pivot.js";
import { dropped, textified } from "../report.js";
import type { Block } from "./wire.js";

/** Where the medium stands: the API takes other blocks from a user, from the model and in a tool's error. */
export type Place = "user" | "assistant" | "result" | "error";

export interface WrittenMedia {
  /** Undefined where the place does not take it. */
  readonly block: Block | undefined;
  readonly report: readonly ConversionReportEntry[];
}

type MediaSort = "image" | "svg" | "pdf" | "text" | "other";
type WriteMedia = (media: PivotMedia, place: Place) => WrittenMedia;

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

const WRITERS: Readonly<Record<MediaSort, WriteMedia>> = {
  image: writeImage,
  svg: writeAsText,
  pdf: writePdf,
  text: writeText,
  other: (media, place) => leftOut(media, place),
};

export function writeMedia(media: PivotMedia, place: Place): WrittenMedia {
  const written = WRITERS[sortOf(media.mime_type)](media, place);
  if (written.block === undefined) return written;
  const { detail, origin } = media;
  const lost = detail === undefined ? [] : [dropped("metadata", origin, `detail ${detail}`)];
  return { ...written, report: [...written.report, ...lost] };
}

function sortOf(type: string | null): MediaSort {
  if (type === null || IMAGE_TYPES.has(type)) return "image";
  if (type === "image/svg+xml") return "svg";
  if (type === "application/pdf") return "pdf";
  return isTextType(type) ? "text" : "other";
}

function writeImage(media: PivotMedia, place: Place): WrittenMedia {
  const { source, mime_type } = media;
  if (place === "assistant" || (source.type === "data" && mime_type === null)) return leftOut(media, place);
  const from =
    source.type === "url"
      ? { type: "url", url: source.url }
      : { type: "base64", media_type: mime_type, data: source.data };
  return { block: { type: "image", source: from }, report: lostName(media) };
}

function writePdf(media: PivotMedia, place: Place): WrittenMedia {
  if (place === "assistant") return leftOut(media, place);
  const { source } = media;
  const from =
    source.type === "url"
      ? { type: "url", url: source.url }
      : { type: "base64", media_type: "application/pdf", data: source.data };
  return { block: { type: "document", source: from, ...title(media) }, report: [] };
}

/** A marker stays one: text that is put back in its place is the file's. */
function writeText(media: PivotMedia, place: Place): WrittenMedia {
  const { source, origin } = media;
  if (place === "assistant" || place === "error") return writeAsText(media, place);
  if (source.type === "url") return leftOut(media, place);
  const data = isMarker(source.data) ? source.data : base64ToText(source.data);
  if (data.trim() === "") return { block: undefined, report: [dropped("empty", origin, "text document")] };
  const from = { type: "text", media_type: "text/plain", data };
  return { block: { type: "document", source: from, ...title(media) }, report: [] };
}

function writeAsText(media: PivotMedia, place: Place): WrittenMedia {
  const { source, origin, mime_type } = media;
  if (source.type === "url" || isMarker(source.data)) return leftOut(media, place);
  const text = base64ToText(source.data);
  if (text.trim() === "") return { block: undefined, report: [dropped("empty", origin, "text document")] };
  return { block: { type: "text", text }, report: [textified("media", origin, mime_type ?? "text")] };
}

function leftOut({ mime_type, name, origin }: PivotMedia, place: Place): WrittenMedia {
  const said = [mime_type ?? "image", name ?? "", place === "assistant" ? "in an assistant turn" : ""];
  const detail = said.filter((word) => word !== "").join(" ");
  return { block: undefined, report: [dropped("media", origin, detail)] };
}

function title({ name = "" }: PivotMedia): { readonly title?: string } {
  return name.trim() === "" ? {} : { title: name.toWellFormed() };
}
