/** Reads the blocks that show something: images, documents, search results. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { isMarker } from "../../media/marker.js";
import { UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { normalisedType, typeOfAddress } from "../media-type.js";
import type { Origin, PivotMedia, PivotPart, PivotText } from "../pivot.js";
import { isPublicAddress } from "../public-address.js";
import { dropped, textified } from "../report.js";
import type { DocumentSourceKind, ImageSourceKind } from "./block-kinds.js";
import { lostFields } from "./lost-fields.js";

export interface ReadParts {
  readonly items: readonly PivotPart[];
  readonly report: readonly ConversionReportEntry[];
}
type ReadSource = (source: JsonObject, origin: Origin, title: string | undefined) => ReadParts;

const LONGEST_ADDRESS = 200;

export function readImage(block: JsonObject, origin: Origin): ReadParts {
  const source = isJsonObject(block.source) ? block.source : {};
  const read = sourceReader(IMAGE_SOURCES, source.type);
  if (read === undefined) return unknownSource("image", source, origin);
  return withLost(read(source, origin, undefined), block, origin, ["type", "source"]);
}

const IMAGE_SOURCES = {
  base64: (source, origin) => bytes(source, origin, UNKNOWN_MIME_TYPE, undefined),
  url: (source, origin) => imageAt(textOf(source.url), origin),
  file: (source, origin) => foreignFile("image", source, origin),
} as const satisfies Readonly<Record<ImageSourceKind, ReadSource>>;

function imageAt(url: string, origin: Origin): ReadParts {
  const inline = splitDataUrl(url);
  if (inline !== undefined) return dataPart(inline.data, inline.mime_type, origin, undefined);
  const guessed = typeOfAddress(url);
  const mime_type = guessed?.startsWith("image/") === true ? guessed : null;
  return addressPart(url, mime_type, origin, undefined);
}

/** The document's context is a line of text before it, whatever becomes of the document. */
export function readDocument(block: JsonObject, origin: Origin): ReadParts {
  const source = isJsonObject(block.source) ? block.source : {};
  const context = contextOf(block.context, origin);
  const read = sourceReader(DOCUMENT_SOURCES, source.type);
  const title = saying(block.title);
  const document =
    read === undefined
      ? unknownSource("document", source, origin)
      : withLost(read(source, origin, title), block, origin, ["type", "source", "title", "context"]);
  return {
    items: [...context.items, ...document.items],
    report: [...context.report, ...document.report],
  };
}

const DOCUMENT_SOURCES = {
  base64: (source, origin, title) => bytes(source, origin, "application/pdf", title),
  text: (source, origin, title) => textDocument(textOf(source.data), origin, title),
  content: (source, origin, title) => documentOfBlocks(source.content, origin, title),
  url: (source, origin, title) => addressPart(textOf(source.url), "application/pdf", origin, title),
  file: (source, origin) => foreignFile("document", source, origin),
} as const satisfies Readonly<Record<DocumentSourceKind, ReadSource>>;

function contextOf(context: JsonValue | undefined, origin: Origin): ReadParts {
  const said = saying(context);
  if (said === undefined) return { items: [], report: [] };
  const place = { ...origin, path: `${origin.path}.context` };
  return { items: [text(said, place)], report: [textified("document", place)] };
}

function textDocument(data: string, origin: Origin, title: string | undefined): ReadParts {
  if (isMarker(data)) {
    const detail = "text document whose text is not at hand";
    return { items: [], report: [dropped("media", origin, detail)] };
  }
  if (data.trim() === "") return { items: [], report: [dropped("empty", origin, "text document")] };
  return {
    items: [text(lines([title, data]), origin)],
    report: [textified("document", origin, "text document")],
  };
}

function documentOfBlocks(
  content: JsonValue | undefined,
  origin: Origin,
  title: string | undefined,
): ReadParts {
  if (!Array.isArray(content)) return textDocument(textOf(content), origin, title);
  const parts = content.map((block: JsonValue, index) =>
    blockOfDocument(block, { ...origin, path: `${origin.path}.source.content[${index}]` }),
  );
  const items = parts.flatMap((part) => part.items);
  const report = parts.flatMap((part) => part.report);
  if (items.length === 0) return { items, report: [...report, dropped("empty", origin, "document")] };
  const heading = title === undefined ? [] : [text(title, origin)];
  return {
    items: [...heading, ...items],
    report: [textified("document", origin, "document of blocks"), ...report],
  };
}

function blockOfDocument(block: JsonValue, origin: Origin): ReadParts {
  if (isJsonObject(block) && block.type === "image") return readImage(block, origin);
  if (!isJsonObject(block) || block.type !== "text") {
    const kind = isJsonObject(block) ? String(block.type) : typeof block;
    return { items: [], report: [dropped("metadata", origin, `unknown block kind ${kind}`)] };
  }
  const said = textOf(block.text);
  const lost = lostFields(block, origin, ["type", "text"]);
  if (said.trim() !== "") return { items: [text(said, origin)], report: lost };
  return { items: [], report: said === "" ? [] : [dropped("empty", origin)] };
}

export function readSearchResult(block: JsonObject, origin: Origin): ReadParts {
  const blocks = Array.isArray(block.content) ? (block.content as readonly JsonValue[]) : [];
  const snippets = blocks.map((snippet) => (isJsonObject(snippet) ? saying(snippet.text) : undefined));
  const said = lines([saying(block.title), saying(block.source), ...snippets]);
  if (said === "") return { items: [], report: [dropped("empty", origin, "search result")] };
  const nested = blocks.flatMap((snippet, index) =>
    isJsonObject(snippet)
      ? lostFields(snippet, { ...origin, path: `${origin.path}.content[${index}]` }, ["type", "text"])
      : [],
  );
  const lost = lostFields(block, origin, ["type", "title", "source", "content"]);
  return { items: [text(said, origin)], report: [textified("search-result", origin), ...lost, ...nested] };
}

function bytes(source: JsonObject, origin: Origin, otherwise: string, name: string | undefined): ReadParts {
  return dataPart(textOf(source.data), saying(source.media_type) ?? otherwise, origin, name);
}

function dataPart(data: string, type: string, origin: Origin, name: string | undefined): ReadParts {
  const { mime_type, report } = normalisedType(type, origin);
  if (data === "") return { items: [], report: [dropped("media", origin, `${mime_type} without bytes`)] };
  return { items: [media({ type: "data", data }, mime_type, origin, name)], report };
}

function addressPart(
  url: string,
  mime_type: string | null,
  origin: Origin,
  name: string | undefined,
): ReadParts {
  if (!isPublicAddress(url)) {
    return { items: [], report: [dropped("file-ref", origin, url.slice(0, LONGEST_ADDRESS))] };
  }
  return { items: [media({ type: "url", url }, mime_type, origin, name)], report: [] };
}

function foreignFile(kind: string, source: JsonObject, origin: Origin): ReadParts {
  return { items: [], report: [dropped("file-ref", origin, `${kind} ${textOf(source.file_id)}`.trimEnd())] };
}

function unknownSource(kind: string, source: JsonObject, origin: Origin): ReadParts {
  return {
    items: [],
    report: [dropped("metadata", origin, `unknown source of a ${kind}: ${String(source.type)}`)],
  };
}

function sourceReader<Kind extends string>(
  table: Readonly<Record<Kind, ReadSource>>,
  type: JsonValue | undefined,
): ReadSource | undefined {
  return typeof type === "string" && Object.hasOwn(table, type) ? table[type as Kind] : undefined;
}

/** Nothing is said of the fields of a block of which nothing crosses. */
function withLost(read: ReadParts, block: JsonObject, origin: Origin, carried: readonly string[]): ReadParts {
  if (read.items.length === 0) return read;
  return { ...read, report: [...read.report, ...lostFields(block, origin, carried)] };
}

function media(
  source: PivotMedia["source"],
  mime_type: string | null,
  origin: Origin,
  name: string | undefined,
): PivotMedia {
  return { kind: "media", origin, mime_type, source, ...(name === undefined ? {} : { name }) };
}

function text(said: string, origin: Origin): PivotText {
  return { kind: "text", text: said, origin };
}

function lines(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join("\n");
}

function saying(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
