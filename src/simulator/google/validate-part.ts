/** One part of a content in a generateContent request, looked at by itself. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { isBase64, isBroken, pdfFacts, sniffMediaType } from "../media-check.js";
import { base64Bytes } from "../token-estimate.js";
import type { WireIssue } from "../wire-issue.js";
import { invalidValue, unknownName, violation } from "./issues.js";
import type { GoogleModel } from "./models.js";
import { DATA_FIELDS } from "./parts.js";

const MODIFIERS: readonly string[] = [
  "thought",
  "thoughtSignature",
  "videoMetadata",
  "mediaResolution",
  "partMetadata",
  "mediaProcessing",
  "speechMetadata",
];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  inlineData: ["mimeType", "data"],
  fileData: ["mimeType", "fileUri"],
  functionCall: ["id", "name", "args"],
  functionResponse: ["id", "name", "response", "parts", "willContinue", "scheduling"],
};
const MIME_TYPES: RegExp =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/(?:pdf|json|rtf|x-javascript|x-python)|text\/[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+)$/;
/** Media that may stand inside a function's response. */
const RESPONSE_MIME_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
  "text/plain",
];
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const MAXIMUM_INLINE_PDF = 50 * 1024 * 1024;

export interface PartRules {
  readonly model: GoogleModel;
  /** Whether the bytes of media are looked at. */
  readonly mediaBytes: boolean;
}

export function checkPart(part: JsonValue, path: string, rules: PartRules): readonly WireIssue[] {
  if (!isJsonObject(part)) return [invalidValue(path, "type.googleapis.com/Part", "expected an object")];
  const unknown = Object.keys(part).filter((key) => ![...DATA_FIELDS, ...MODIFIERS].includes(key));
  if (unknown.length > 0) return unknown.map((key) => unknownName(path, key));
  const data = DATA_FIELDS.filter((field) => part[field] !== undefined);
  const [field, second] = data;
  if (second !== undefined) {
    const message = `oneof field 'data' is already set. Cannot set '${second}'`;
    return [invalidValue(path, "oneof", message)];
  }
  const signature = checkSignature(part, path);
  if (signature.length > 0) return signature;
  if (field === undefined || (part.text === "" && part.thoughtSignature === undefined)) {
    return [violation(`${path}.data`, "required oneof field 'data' must have one initialized field")];
  }
  return checkData(field, part[field], `${path}.${field}`, rules);
}

function checkSignature({ thoughtSignature: signature }: JsonObject, path: string): readonly WireIssue[] {
  if (signature === undefined) return [];
  const bytes = typeof signature === "string" && /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
  const wellFormed = bytes && signature.replace(/=+$/, "").length % 4 !== 1;
  if (wellFormed) return [];
  return [
    invalidValue(
      `${path}.thought_signature`,
      "TYPE_BYTES",
      `Base64 decoding failed for ${JSON.stringify(signature)?.slice(0, 60)}`,
    ),
  ];
}

function checkData(
  field: string,
  value: JsonValue | undefined,
  path: string,
  rules: PartRules,
): readonly WireIssue[] {
  if (field === "text") {
    return typeof value === "string" ? [] : [invalidValue(path, "TYPE_STRING", "expected a string")];
  }
  if (!isJsonObject(value)) return [invalidValue(path, "TYPE_MESSAGE", "expected an object")];
  const known = FIELDS[field];
  if (known === undefined) return [];
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) return unknown.map((key) => unknownName(path, key));
  switch (field) {
    case "inlineData":
      return checkInlineData(value, path, rules.mediaBytes);
    case "fileData":
      return checkFileData(value, path);
    case "functionCall":
      return checkCall(value, path);
    default:
      return checkResponse(value, path, rules);
  }
}

function checkInlineData(
  { mimeType, data }: JsonObject,
  path: string,
  mediaBytes: boolean,
): readonly WireIssue[] {
  if (typeof data !== "string" || !isBase64(data)) {
    return [invalidValue(`${path}.data`, "TYPE_BYTES", "Base64 decoding failed")];
  }
  if (typeof mimeType !== "string" || !MIME_TYPES.test(mimeType)) return [unsupported(path, mimeType)];
  if (!mediaBytes) return [];
  const actual = sniffMediaType(data);
  if (mimeType === "application/pdf") return checkPdf(data, actual, path);
  const image = /^image\/(?:png|jpeg|webp)$/.test(mimeType);
  if (image && (actual?.startsWith("image/") !== true || isBroken(actual, data))) {
    return [
      { path, message: "Unable to process input image. Please retry or report in the developer forum" },
    ];
  }
  // Sound and films are decoded where their format is known here; what fails is not said.
  const playable = /^(?:audio|video)\//.test(mimeType);
  return playable && isBroken(mimeType, data)
    ? [{ path, message: "Request contains an invalid argument." }]
    : [];
}

function checkPdf(data: string, actual: string | undefined, path: string): readonly WireIssue[] {
  if (actual !== "application/pdf" || pdfFacts(data).encrypted || isBroken("application/pdf", data)) {
    return [{ path, message: "The document has no pages." }];
  }
  if (base64Bytes(data) <= MAXIMUM_INLINE_PDF) return [];
  return [{ path, message: "The inline document exceeds the limit of 50 MB. Upload it with the Files API." }];
}

function checkFileData({ mimeType, fileUri }: JsonObject, path: string): readonly WireIssue[] {
  if (typeof fileUri !== "string" || fileUri === "") {
    return [violation(`${path}.file_uri`, "file_uri must not be empty")];
  }
  if (!/^https?:\/\/./.test(fileUri))
    return [{ path, message: `Invalid or unsupported file uri: ${fileUri}` }];
  if (mimeType === undefined || (typeof mimeType === "string" && MIME_TYPES.test(mimeType))) return [];
  return [unsupported(path, mimeType)];
}

function unsupported(path: string, mimeType: unknown): WireIssue {
  return { path: `${path}.mimeType`, message: `Unsupported MIME type: ${String(mimeType)}` };
}

function checkCall({ name, args }: JsonObject, path: string): readonly WireIssue[] {
  if (typeof name !== "string" || !FUNCTION_NAME.test(name)) return [badName(path, name)];
  if (args === undefined || isJsonObject(args)) return [];
  return [invalidValue(`${path}.args`, "type.googleapis.com/google.protobuf.Struct", "expected an object")];
}

function checkResponse(
  { name, response, parts }: JsonObject,
  path: string,
  rules: PartRules,
): readonly WireIssue[] {
  if (typeof name !== "string" || name === "") return [violation(`${path}.name`, "Name cannot be empty.")];
  if (!isJsonObject(response)) {
    const type = "type.googleapis.com/google.protobuf.Struct";
    return [invalidValue(`${path}.response`, type, "expected an object")];
  }
  if (!Array.isArray(parts)) return [];
  if (!rules.model.signedCalls) {
    return [
      { path: `${path}.parts`, message: "Multimodal function responses are not supported by this model." },
    ];
  }
  return (parts as readonly JsonValue[]).flatMap((part, index) => {
    const at = `${path}.parts.${index}`;
    const data = isJsonObject(part) ? part.inlineData : undefined;
    if (!isJsonObject(data))
      return [{ path: at, message: "Only inline data is supported in function responses." }];
    if (!RESPONSE_MIME_TYPES.includes(String(data.mimeType))) return [unsupported(at, data.mimeType)];
    return checkInlineData(data, `${at}.inlineData`, rules.mediaBytes);
  });
}

export function badName(path: string, name: unknown): WireIssue {
  const sentence = `Invalid function name ${JSON.stringify(name)}. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`;
  return violation(`${path}.name`, sentence);
}
