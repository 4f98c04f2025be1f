/** Sources of images and documents in a Messages request. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { checkFields } from "../field-check.js";
import { imageSize, isBase64, isBroken, pdfFacts, sniffMediaType } from "../media-check.js";
import type { WireIssue } from "../wire-issue.js";
import { issueAt, issuesFrom } from "./issues.js";
import type { AnthropicModel } from "./models.js";

const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const MAXIMUM_IMAGE_BASE64 = 5 * 1024 * 1024;
const MAXIMUM_PIXELS = 8_000;

export interface DocumentRules {
  readonly model: AnthropicModel;
  readonly mediaBytes: boolean;
}

export function checkImageSource(
  source: JsonObject,
  path: string,
  mediaBytes: boolean,
): readonly WireIssue[] {
  switch (source.type) {
    case "base64":
      return checkBase64Image(source, `${path}.base64`, mediaBytes);
    case "url":
      return issuesFrom(checkFields(source, `${path}.url`, { type: "string", url: "string" }));
    case "file":
      return issuesFrom(checkFields(source, `${path}.file`, { type: "string", file_id: "string" }));
    default:
      return [unexpectedTag(path, source.type, "'base64', 'file', 'url'")];
  }
}

function checkBase64Image(source: JsonObject, path: string, mediaBytes: boolean): readonly WireIssue[] {
  const shape = checkFields(source, path, { type: "string", media_type: "string", data: "string" });
  if (shape.length > 0) return issuesFrom(shape);
  const mediaType = String(source.media_type);
  const data = String(source.data);
  if (!IMAGE_TYPES.includes(mediaType)) {
    return [
      issueAt(`${path}.media_type`, "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"),
    ];
  }
  if (!isBase64(data)) return [issueAt(`${path}.data`, "invalid base64 data")];
  if (data.length > MAXIMUM_IMAGE_BASE64) {
    return [
      issueAt(path, `image exceeds 5 MB maximum: ${data.length} bytes > ${MAXIMUM_IMAGE_BASE64} bytes`),
    ];
  }
  return mediaBytes ? checkImageBytes(mediaType, data, path) : [];
}

function checkImageBytes(mediaType: string, data: string, path: string): readonly WireIssue[] {
  const actual = sniffMediaType(data);
  if (actual === undefined || !IMAGE_TYPES.includes(actual))
    return [{ path, message: "Could not process image" }];
  if (actual !== mediaType) {
    const message = `The image was specified using the ${mediaType} media type, but the image appears to be a ${actual} image`;
    return [issueAt(path, message)];
  }
  const size = imageSize(data);
  if (size !== undefined && Math.max(size.width, size.height) > MAXIMUM_PIXELS) {
    return [issueAt(path, "At least one of the image dimensions exceed max allowed size: 8000 pixels")];
  }
  return isBroken(mediaType, data) ? [{ path, message: "Could not process image" }] : [];
}

export function checkDocumentSource(
  source: JsonObject,
  path: string,
  rules: DocumentRules,
): readonly WireIssue[] {
  switch (source.type) {
    case "base64":
      return checkPdf(source, `${path}.base64`, rules);
    case "text":
      return checkPlainText(source, `${path}.text`);
    case "content":
      return issuesFrom(checkFields(source, `${path}.content`, { type: "string", content: "any" }));
    case "url":
      return issuesFrom(checkFields(source, `${path}.url`, { type: "string", url: "string" }));
    case "file":
      return issuesFrom(checkFields(source, `${path}.file`, { type: "string", file_id: "string" }));
    default:
      return [unexpectedTag(path, source.type, "'base64', 'content', 'file', 'text', 'url'")];
  }
}

function checkPlainText(source: JsonObject, path: string): readonly WireIssue[] {
  const shape = checkFields(source, path, { type: "string", media_type: "string", data: "string" });
  if (shape.length > 0) return issuesFrom(shape);
  if (source.media_type !== "text/plain")
    return [issueAt(`${path}.media_type`, "Input should be 'text/plain'")];
  return String(source.data).trim() === "" ? [issueAt(`${path}.data`, "document text cannot be empty")] : [];
}

function checkPdf(source: JsonObject, path: string, rules: DocumentRules): readonly WireIssue[] {
  const shape = checkFields(source, path, { type: "string", media_type: "string", data: "string" });
  if (shape.length > 0) return issuesFrom(shape);
  const data = String(source.data);
  if (source.media_type !== "application/pdf") {
    return [issueAt(`${path}.media_type`, "Input should be 'application/pdf'")];
  }
  if (!isBase64(data)) return [issueAt(`${path}.data`, "invalid base64 data")];
  if (!rules.mediaBytes) return [];
  const { model } = rules;
  if (sniffMediaType(data) !== "application/pdf") return invalidPdf(path);
  const { pages, encrypted } = pdfFacts(data);
  if (encrypted) return [issueAt(`${path}.data`, "The PDF specified is password protected.")];
  if (pages <= model.maximumPdfPages) return isBroken("application/pdf", data) ? invalidPdf(path) : [];
  return [
    issueAt(
      `${path}.data`,
      `A maximum of ${model.maximumPdfPages} PDF pages may be provided, found ${pages}.`,
    ),
  ];
}

function invalidPdf(path: string): readonly WireIssue[] {
  return [issueAt(`${path}.data`, "The PDF specified was not valid.")];
}

function unexpectedTag(path: string, found: unknown, expected: string): WireIssue {
  return issueAt(
    path,
    `Input tag '${String(found)}' found using 'type' does not match any of the expected tags: ${expected}`,
  );
}

/** The source of a block, or the issue that it has none. */
export function sourceOf(block: JsonObject): JsonObject | undefined {
  return isJsonObject(block.source) ? block.source : undefined;
}
