/** Content parts of messages and of function outputs in a Responses request. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { type DataUrl, parseDataUrl } from "../data-url.js";
import { isBase64, isBroken, sniffMediaType } from "../media-check.js";
import type { WireIssue } from "../wire-issue.js";
import { paramOf } from "./error.js";
import { invalidType, invalidValue, missing, tooLong, unknownParameter } from "./issues.js";

const INPUT_TYPES: readonly string[] = ["input_text", "input_image", "input_file"];
const OUTPUT_TYPES: readonly string[] = ["output_text", "refusal"];
const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** PDF, text and the office formats that the service converts. */
const FILE_TYPES =
  /^(?:application\/(?:pdf|json|rtf|xml|msword|vnd\.(?:openxmlformats|ms-|oasis)[\w.-]*|javascript|x-[\w-]+)|text\/[\w.+-]+)$/;
const MAXIMUM_FILE_ID = 64;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  input_text: ["type", "text", "prompt_cache_breakpoint"],
  input_image: ["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"],
  input_file: ["type", "file_data", "file_url", "file_id", "filename", "detail", "prompt_cache_breakpoint"],
  output_text: ["type", "text", "annotations", "logprobs"],
  refusal: ["type", "refusal"],
};

/** Parts of a user's, a system's or a developer's message, or of a function's output. */
export function checkInputParts(
  parts: readonly JsonValue[],
  path: string,
  mediaBytes: boolean,
): readonly WireIssue[] {
  return parts.flatMap((part, index) => checkPart(part, `${path}.${index}`, INPUT_TYPES, mediaBytes));
}

export function checkOutputParts(parts: readonly JsonValue[], path: string): readonly WireIssue[] {
  return parts.flatMap((part, index) => checkPart(part, `${path}.${index}`, OUTPUT_TYPES, true));
}

function checkPart(
  part: JsonValue,
  path: string,
  types: readonly string[],
  mediaBytes: boolean,
): readonly WireIssue[] {
  if (!isJsonObject(part)) return [invalidType(path, "an object", part)];
  const type = String(part.type);
  if (part.type === undefined) return [missing(`${path}.type`)];
  if (!types.includes(type)) return [invalidValue(path, type, types)];
  const extra = Object.keys(part).filter((key) => FIELDS[type]?.includes(key) !== true);
  if (extra.length > 0) return extra.map((key) => unknownParameter(`${path}.${key}`));
  switch (type) {
    case "input_image":
      return checkImage(part, path, mediaBytes);
    case "input_file":
      return checkFile(part, path, mediaBytes);
    default:
      return checkText(part, path, type === "refusal" ? "refusal" : "text");
  }
}

function checkText(part: JsonObject, path: string, key: string): readonly WireIssue[] {
  const text = part[key];
  if (text === undefined) return [missing(`${path}.${key}`)];
  return typeof text === "string" ? [] : [invalidType(`${path}.${key}`, "a string", text)];
}

function checkImage(part: JsonObject, path: string, mediaBytes: boolean): readonly WireIssue[] {
  const { image_url: url, file_id: fileId } = part;
  if (typeof fileId === "string" && (url === undefined || url === null)) return checkFileId(fileId, path);
  if (url === undefined || url === null) return [missing(`${path}.image_url`)];
  if (typeof url !== "string") return [invalidType(`${path}.image_url`, "an image URL", url)];
  if (/^https?:\/\/./.test(url)) return [];
  const parsed = parseDataUrl(url);
  if (parsed === undefined) {
    const message = `Invalid '${paramOf(`${path}.image_url`)}'. Expected a valid URL, but got a value with an invalid format.`;
    return [{ path: `${path}.image_url`, message, code: "invalid_value" }];
  }
  return checkImageData(parsed, `${path}.image_url`, mediaBytes);
}

function checkImageData(
  { mediaType, data }: DataUrl,
  path: string,
  mediaBytes: boolean,
): readonly WireIssue[] {
  if (!IMAGE_TYPES.includes(mediaType)) {
    const message = `Invalid '${paramOf(path)}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type '${mediaType}'.`;
    return [{ path, message, code: "invalid_value" }];
  }
  if (!mediaBytes && isBase64(data)) return [];
  const actual = isBase64(data) ? sniffMediaType(data) : undefined;
  if (actual !== undefined && IMAGE_TYPES.includes(actual) && !isBroken(actual, data)) return [];
  const message = `The image data you provided does not represent a valid image. Please check your input and try again with one of the following image formats: [${IMAGE_TYPES.map((type) => `'${type}'`).join(", ")}].`;
  return [{ path, message, code: "invalid_image_format" }];
}

function checkFile(part: JsonObject, path: string, mediaBytes: boolean): readonly WireIssue[] {
  const { file_data: data, file_url: url, file_id: fileId, filename } = part;
  if (typeof fileId === "string") return checkFileId(fileId, path);
  if (typeof url === "string") return [];
  if (typeof data !== "string") return [missing(`${path}.file_data`)];
  if (typeof filename !== "string" || filename === "") return [missing(`${path}.filename`)];
  const parsed = parseDataUrl(data);
  if (parsed === undefined || !FILE_TYPES.test(parsed.mediaType) || !isBase64(parsed.data)) {
    const found =
      parsed === undefined ? "a value that is no data URL" : `unsupported MIME type '${parsed.mediaType}'`;
    const message = `Invalid '${paramOf(`${path}.file_data`)}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${found}.`;
    return [{ path: `${path}.file_data`, message, code: "invalid_value" }];
  }
  if (!mediaBytes || parsed.mediaType !== "application/pdf" || !isBroken("application/pdf", parsed.data))
    return [];
  const message = "The file data you provided does not represent a valid PDF.";
  return [{ path: `${path}.file_data`, message, code: "invalid_file" }];
}

function checkFileId(id: string, path: string): readonly WireIssue[] {
  return id.length <= MAXIMUM_FILE_ID ? [] : [tooLong(`${path}.file_id`, id.length, MAXIMUM_FILE_ID)];
}
