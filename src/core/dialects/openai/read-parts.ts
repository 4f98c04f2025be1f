/** Content parts of a Responses message or of a tool's output, each as text or a medium. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { keyOf } from "../../media/marker.js";
import { bareMimeType, mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { append } from "../append.js";
import { itemPath } from "../item-path.js";
import { normalisedType, typeOfAddress } from "../media-type.js";
import type { Origin, PivotMedia, PivotPart } from "../pivot.js";
import { isPublicAddress } from "../public-address.js";
import { dropped, textified } from "../report.js";
import type { PartKind } from "./kinds.js";
import { lostFields } from "./lost-fields.js";

export interface ContentReading {
  readonly parts: readonly PivotPart[];
  readonly report: readonly ConversionReportEntry[];
  /** Whether a part that said something could not be carried. */
  readonly lost: boolean;
}

interface PartReading {
  readonly part?: PivotPart;
  readonly report: readonly ConversionReportEntry[];
  readonly lost?: true;
}
type PartReader = (part: JsonObject, origin: Origin) => PartReading;

const PART_READERS: Readonly<Record<PartKind, PartReader>> = {
  input_text: readText,
  output_text: readText,
  refusal: readRefusal,
  input_image: readImage,
  computer_screenshot: readImage,
  input_file: readFile,
  input_audio: readAudio,
};

/** Content as items have it: a string, a list of parts, or one part. `name` is the field that holds it. */
export function readContent(content: JsonValue | undefined, index: number, name: string): ContentReading {
  if (typeof content === "string") return gather([plainText(content, { index, path: name })]);
  if (Array.isArray(content)) {
    return gather(content.map((part, at) => readPart(part, { index, path: itemPath(name, at) })));
  }
  if (content === undefined || content === null) return gather([]);
  return gather([readPart(content, { index, path: name })]);
}

function gather(readings: readonly PartReading[]): ContentReading {
  const parts: PivotPart[] = [];
  const report: ConversionReportEntry[] = [];
  let lost = false;
  for (const reading of readings) {
    if (reading.part !== undefined) parts.push(reading.part);
    append(report, reading.report);
    if (reading.lost === true) lost = true;
  }
  return { parts, report, lost };
}

function readPart(value: JsonValue, origin: Origin): PartReading {
  if (!isJsonObject(value)) return { report: [dropped("metadata", origin, "no content part")], lost: true };
  const type = String(value.type);
  if (isPartKind(type)) return PART_READERS[type](value, origin);
  return { report: [dropped("metadata", origin, `unknown content part ${type}`)], lost: true };
}

function isPartKind(type: string): type is PartKind {
  return Object.hasOwn(PART_READERS, type);
}

/** Empty text says nothing; blank text is refused on some wires. */
function plainText(text: string, origin: Origin): PartReading {
  if (text === "") return { report: [] };
  if (text.trim() === "") return { report: [dropped("empty", origin, "only whitespace")] };
  return { part: { kind: "text", text, origin }, report: [] };
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text"]);

function readText(part: JsonObject, origin: Origin): PartReading {
  const read = plainText(textOf(part.text), origin);
  const lost = lostFields(part, TEXT_FIELDS, origin);
  return lost.length === 0 ? read : { ...read, report: [...read.report, ...lost] };
}

const REFUSAL_FIELDS: ReadonlySet<string> = new Set(["type", "refusal"]);

function readRefusal(part: JsonObject, origin: Origin): PartReading {
  const { part: text, report } = plainText(textOf(part.refusal), origin);
  const lost = lostFields(part, REFUSAL_FIELDS, origin);
  if (text === undefined) return { report: [...report, ...lost] };
  return { part: text, report: [textified("refusal", origin), ...lost] };
}

const IMAGE_FIELDS: ReadonlySet<string> = new Set(["type", "image_url", "detail"]);

function readImage(part: JsonObject, origin: Origin): PartReading {
  const lost = lostFields(part, IMAGE_FIELDS, origin);
  const url = textOf(part.image_url);
  if (url === "") return withoutSource(part, lost, origin);
  return withFields(readUrl(url, origin, imageTypeOfAddress(url), detailOf(part)), lost);
}

const FILE_FIELDS: ReadonlySet<string> = new Set(["type", "file_data", "file_url", "filename", "detail"]);

function readFile(part: JsonObject, origin: Origin): PartReading {
  const lost = lostFields(part, FILE_FIELDS, origin);
  const [data, url, name] = [textOf(part.file_data), textOf(part.file_url), textOf(part.filename)];
  const about = { ...detailOf(part), ...(name === "" ? {} : { name }) };
  if (data.startsWith("data:")) return withFields(readUrl(data, origin, null, about), lost);
  if (data !== "") {
    const mime_type = typeOfName(name) ?? typeOfName(keyOf(data) ?? "") ?? UNKNOWN_MIME_TYPE;
    const source: PivotMedia["source"] = { type: "data", data };
    return { part: { kind: "media", origin, mime_type, source, ...about }, report: lost };
  }
  if (url === "") return withoutSource(part, lost, origin);
  return withFields(
    readUrl(url, origin, typeOfAddress(url) ?? typeOfName(name) ?? UNKNOWN_MIME_TYPE, about),
    lost,
  );
}

const AUDIO_FIELDS: ReadonlySet<string> = new Set(["type", "input_audio"]);

function readAudio(part: JsonObject, origin: Origin): PartReading {
  const lost = lostFields(part, AUDIO_FIELDS, origin);
  const audio = isJsonObject(part.input_audio) ? part.input_audio : {};
  const data = textOf(audio.data);
  if (data === "") return withoutSource(part, lost, origin);
  const mime_type = mimeTypeOfExtension(textOf(audio.format)) ?? UNKNOWN_MIME_TYPE;
  return { part: { kind: "media", origin, mime_type, source: { type: "data", data } }, report: lost };
}

type About = Pick<PivotMedia, "name" | "detail">;

/** `addressType`: the type of the medium where the URL is an address. */
function readUrl(url: string, origin: Origin, addressType: string | null, about: About): PartReading {
  const inline = splitDataUrl(url);
  if (inline !== undefined) {
    const given = inline.prefix.slice("data:".length, -";base64,".length);
    const says = given !== "" && bareMimeType(given) !== UNKNOWN_MIME_TYPE;
    const type = says ? given : (typeOfName(about.name ?? "") ?? UNKNOWN_MIME_TYPE);
    const { mime_type, report } = normalisedType(type, origin);
    const source: PivotMedia["source"] = { type: "data", data: inline.data };
    return { part: { kind: "media", origin, mime_type, source, ...about }, report };
  }
  if (isPublicAddress(url)) {
    const source: PivotMedia["source"] = { type: "url", url };
    return { part: { kind: "media", origin, mime_type: addressType, source, ...about }, report: [] };
  }
  const entry = url.startsWith("data:")
    ? dropped("media", origin, "a data URL that is not base64")
    : dropped("file-ref", origin, url);
  return { report: [entry], lost: true };
}

/** A file that only OpenAI holds: the entry for its id is among the lost fields. */
function withoutSource(
  part: JsonObject,
  lost: readonly ConversionReportEntry[],
  origin: Origin,
): PartReading {
  const named = typeof part.file_id === "string" && part.file_id !== "";
  return {
    report: named ? lost : [...lost, dropped("media", origin, "without bytes or address")],
    lost: true,
  };
}

function withFields(reading: PartReading, lost: readonly ConversionReportEntry[]): PartReading {
  return lost.length === 0 ? reading : { ...reading, report: [...reading.report, ...lost] };
}

function detailOf({ detail }: JsonObject): Pick<PivotMedia, "detail"> {
  return typeof detail === "string" && detail !== "" && detail !== "auto" ? { detail } : {};
}

/** An image part holds an image, whatever the address looks like. */
function imageTypeOfAddress(url: string): string | null {
  const type = typeOfAddress(url);
  return type?.startsWith("image/") === true ? type : null;
}

function typeOfName(name: string): string | undefined {
  const extension = /\.[^.]+$/.exec(name)?.[0];
  return extension === undefined ? undefined : mimeTypeOfExtension(extension);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
