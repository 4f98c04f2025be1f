/** Media of a content part: a data URL, bare base64, an address, or the id of a file that only its provider can read. */
import { isJsonObject } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { normalisedType, typeOfAddress } from "../media-type.js";
import type { Origin, PivotMedia } from "../pivot.js";
import { isPublicAddress } from "../public-address.js";
import { dropped } from "../report.js";
import { NOTHING, type Reading, unreadFields, within } from "./reading.js";
import { type ContentPart, typeOfFile } from "./wire.js";

type UrlField = "image_url" | "video_url";
const URL_FIELDS: ReadonlySet<string> = new Set(["url", "detail"]);
const AUDIO_FIELDS: ReadonlySet<string> = new Set(["data", "format"]);
const FILE_FIELDS: ReadonlySet<string> = new Set(["file_data", "file_id", "filename"]);

/** Gateways put PDFs and other files here too: the type decides, not the name of the part. */
export function readUrl(part: ContentPart, field: UrlField, origin: Origin): Reading {
  const holder = part[field];
  const [url, detail] = isJsonObject(holder) ? [holder.url, holder.detail] : [holder];
  if (typeof url !== "string" || url === "") {
    return { parts: [], report: [dropped("media", origin, `${field} without a URL`)] };
  }
  const unread = isJsonObject(holder) ? unreadFields(holder, URL_FIELDS, within(origin, field)) : [];
  const { parts, report } = readDataUrl(url, origin) ?? readAddress(url, field, origin);
  const detailed = typeof detail === "string" && detail !== "auto" && detail !== "";
  return {
    parts: detailed ? parts.map((media) => ({ ...media, detail })) : parts,
    report: unread.length === 0 ? report : [...report, ...unread],
  };
}

function readDataUrl(url: string, origin: Origin, name?: string): Reading<PivotMedia> | undefined {
  const split = splitDataUrl(url);
  if (split === undefined) return undefined;
  const given = /^data:(.*);base64,$/is.exec(split.prefix)?.[1]?.trim() || UNKNOWN_MIME_TYPE;
  return mediaOf(given, split.data, origin, name);
}

function mediaOf(given: string, data: string, origin: Origin, name?: string): Reading<PivotMedia> {
  const { mime_type, report } = normalisedType(given, origin);
  const named = name === undefined || name === "" ? {} : { name };
  return { parts: [{ kind: "media", origin, mime_type, source: { type: "data", data }, ...named }], report };
}

function readAddress(url: string, field: UrlField, origin: Origin): Reading<PivotMedia> {
  if (!isPublicAddress(url)) {
    const shown = url.slice(0, 200);
    const artefact =
      /^(data|blob|file):/i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url) ? "media" : "file-ref";
    return { parts: [], report: [dropped(artefact, origin, shown)] };
  }
  const mime_type = addressType(url, field);
  return { parts: [{ kind: "media", origin, mime_type, source: { type: "url", url } }], report: [] };
}

/** An extension that speaks of neither (`view.php`) says less than the part does; most videos at addresses are MP4. */
function addressType(url: string, field: UrlField): string | null {
  const type = typeOfAddress(url);
  if (type === "application/pdf" || /^(image|video)\//.test(type ?? "")) return type;
  return field === "video_url" ? "video/mp4" : null;
}

export function readAudio(part: ContentPart, origin: Origin): Reading {
  const audio = part.input_audio;
  if (typeof audio?.data !== "string" || audio.data === "") {
    return { parts: [], report: [dropped("media", origin, "input_audio without data")] };
  }
  const format = audio.format || "wav";
  const { parts, report } = mediaOf(mimeTypeOfExtension(format) ?? `audio/${format}`, audio.data, origin);
  return { parts, report: [...report, ...unreadFields(audio, AUDIO_FIELDS, within(origin, "input_audio"))] };
}

/** A file's data is a data URL or bare base64, of which only the name says the type: else a PDF, this wire's usual file. */
export function readFile(part: ContentPart, origin: Origin): Reading {
  const file = part.file;
  if (!isJsonObject(file)) return { parts: [], report: [dropped("media", origin, "file without data")] };
  const { parts, report } = readFileData(file, origin);
  return { parts, report: [...report, ...unreadFields(file, FILE_FIELDS, within(origin, "file"))] };
}

function readFileData(file: NonNullable<ContentPart["file"]>, origin: Origin): Reading {
  const { file_data: data, file_id: id, filename } = file;
  if (typeof data === "string" && data !== "") {
    const name = filename ?? "";
    return readDataUrl(data, origin, name) ?? mediaOf(typeOfFile(file), data, origin, name);
  }
  if (typeof id === "string" && id !== "") {
    return { parts: [], report: [dropped("file-ref", origin, id)] };
  }
  return { ...NOTHING, report: [dropped("media", origin, "file without data")] };
}
