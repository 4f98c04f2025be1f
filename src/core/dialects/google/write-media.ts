/** Media as Gemini takes them: bytes as `inlineData`, addresses as `fileData`, text as text. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { base64ToText } from "../../media/base64-text.js";
import { isMarker } from "../../media/marker.js";
import { isTextType } from "../../media/text-type.js";
import { lostName } from "../lost-name.js";
import { typeOfAddress } from "../media-type.js";
import type { PivotMedia } from "../pivot.js";
import { dropped, textified } from "../report.js";
import { inside } from "./read-place.js";
import type { Part } from "./wire.js";

export interface WrittenMedia {
  /** Text, where the medium became text; a part of its own; or nothing, where Gemini does not take it. */
  readonly text?: string;
  readonly part?: Part;
  readonly report: readonly ConversionReportEntry[];
}

const BINARY: RegExp =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/(?:pdf|rtf)|text\/rtf|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

export function writeMedia(media: PivotMedia): WrittenMedia {
  const written =
    media.source.type === "url" ? writeAddress(media, media.source.url) : writeData(media, media.source.data);
  if (written.part === undefined) return written;
  const { detail, origin } = media;
  const lost =
    detail === undefined || detail === "auto" ? [] : [dropped("metadata", inside(origin, ".detail"), detail)];
  // A display name is used in few calls only, and no model is told it otherwise.
  return { ...written, report: [...written.report, ...lostName(media), ...lost] };
}

function writeAddress(media: PivotMedia, url: string): WrittenMedia {
  const mimeType = media.mime_type ?? typeOfAddress(url);
  if (mimeType === null || !(BINARY.test(mimeType) || isTextType(mimeType)))
    return left(media, mimeType, url);
  if (!/^https?:\/\//i.test(url)) return left(media, mimeType, url);
  return { part: { fileData: { fileUri: url.toWellFormed(), mimeType } }, report: [] };
}

function writeData(media: PivotMedia, data: string): WrittenMedia {
  const mimeType = media.mime_type ?? "";
  if (BINARY.test(mimeType)) return { part: { inlineData: { mimeType, data } }, report: [] };
  const image = mimeType === "image/svg+xml";
  if (isMarker(data) || !(image || isTextType(mimeType))) return left(media, mimeType);
  const body = base64ToText(data);
  const name = media.name?.trim() ? `${media.name}\n` : "";
  const report = textified(image ? "media" : "document", media.origin, mimeType);
  // An empty file has no text, and blank text no part.
  return {
    ...(body.trim() === "" && name === "" ? {} : { text: `${name}${body}`.toWellFormed() }),
    report: [report],
  };
}

function left({ origin, name }: PivotMedia, mimeType: string | null, url?: string): WrittenMedia {
  const what = [mimeType ?? "of unknown type", name ?? url ?? ""].filter((word) => word !== "").join(" ");
  return { report: [dropped("media", origin, what)] };
}
