/** The types of media as the services know them, in a request only: the history keeps the words that it came with. */
import type { NativeMessage } from "../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import { splitDataUrl } from "../media/data-url.js";
import { usualMimeType } from "../media/usual-mime-type.js";
import { mapPreserving, withField } from "./map-preserving.js";
import { remembered } from "./remembered.js";

/** Fields of a message, and of what stands in one, that hold parts, or a part. Arguments and results of tools are not among them. */
const HOLDERS = [
  "content",
  "parts",
  "output",
  "source",
  "inlineData",
  "fileData",
  "image_url",
  "video_url",
  "file",
];
const TYPES: ReadonlySet<string> = new Set(["media_type", "mimeType"]);
const URLS: ReadonlySet<string> = new Set(["image_url", "video_url", "url", "file_data"]);

/** A message in which nothing changes stays the same object. */
export function withUsualTypes(messages: readonly NativeMessage[]): readonly NativeMessage[] {
  return mapPreserving(messages, (message) =>
    isUsual(message) ? message : (usual(message) as NativeMessage),
  );
}

const isUsual = remembered((message) => usual(message) === message);

function usual(holder: JsonObject): JsonObject {
  let changed = holder;
  for (const [name, value] of Object.entries(holder) as [string, JsonValue][]) {
    if (typeof value === "string") {
      if (TYPES.has(name)) changed = withField(changed, name, usualMimeType(value));
      else if (URLS.has(name)) changed = withField(changed, name, usualUrl(value));
    } else if (HOLDERS.includes(name)) changed = withField(changed, name, usualWithin(value));
    else if (name === "functionResponse" && isJsonObject(value) && Array.isArray(value.parts))
      changed = withField(changed, name, withField(value, "parts", usualWithin(value.parts)));
  }
  return changed;
}

function usualWithin(value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return mapPreserving(value as readonly JsonValue[], (entry) =>
      isJsonObject(entry) ? usual(entry) : entry,
    );
  return isJsonObject(value) ? usual(value) : value;
}

function usualUrl(url: string): string {
  const split = splitDataUrl(url);
  if (split === undefined) return url;
  const given = split.prefix.slice("data:".length, -";base64,".length);
  const type = given === "" || given.startsWith(";") ? split.mime_type : usualMimeType(given);
  return type === given ? url : `data:${type};base64,${split.data}`;
}
