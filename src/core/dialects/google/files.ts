/** Parts that are, or may be sent as, files of the Files API: markers of a user's attachments, and `fileData`. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { keyOf } from "../../media/marker.js";
import type { FileSlot, FileSubstitute } from "../dialect.js";
import { mapPreserving, withField } from "../map-preserving.js";
import { textOf } from "./read-place.js";
import { asContent, type Part } from "./wire.js";

type Substitute = (slot: FileSlot) => FileSubstitute | undefined;

/** An uploaded file by its address, behind any host: a gateway or a simulator has its own. */
const FILE_ADDRESS = /^https?:\/\/[^?#]+\/v1(?:alpha|beta\d*)?\/files\/[^/?#]+$/i;

/**
 * Only parts of the user's own contents: inside a function's response the service takes inline data alone, and what the
 * model made goes back as it came.
 */
export function mapFiles(message: NativeMessage, substitute: Substitute): NativeMessage {
  const content = asContent(message);
  if (content?.role !== "user") return message;
  return withField(
    content,
    "parts",
    mapPreserving(content.parts, (part) => mapPart(part, substitute)),
  );
}

/** What holds both fields, be one of them null, would not come back as it was: it stays. */
function mapPart(part: Part, substitute: Substitute): Part {
  if (!("fileData" in part)) {
    const inline = part.inlineData;
    const key = isJsonObject(inline) ? keyOf(textOf(inline.data) ?? "") : undefined;
    return isJsonObject(inline) && key !== undefined
      ? put(part, "inlineData", { ...typeOf(inline), key }, substitute)
      : part;
  }
  const file = part.fileData;
  const uri = isJsonObject(file) && !("inlineData" in part) ? textOf(file.fileUri) : null;
  return isJsonObject(file) && uri !== null && FILE_ADDRESS.test(uri)
    ? put(part, "fileData", { ...typeOf(file), uri }, substitute)
    : part;
}

function typeOf({ mimeType }: JsonObject): Pick<FileSlot, "mime_type"> {
  return { mime_type: textOf(mimeType) ?? undefined };
}

function put(part: Part, field: "inlineData" | "fileData", slot: FileSlot, substitute: Substitute): Part {
  const given = substitute(slot);
  if (given === undefined) return part;
  if ("text" in given) return { text: given.text };
  const source = part[field] as JsonObject;
  return "uri" in given
    ? renamed(part, field, "fileData", fileOf(source, given.uri))
    : renamed(part, field, "inlineData", inlineOf(source, given));
}

/** Fields keep their order and all others ride along, so that the way back gives the very same part. */
function renamed(part: Part, from: string, to: string, value: JsonObject): Part {
  return mapFields(part, (name, old) => (name === from ? [to, value] : [name, old]));
}

function fileOf(source: JsonObject, uri: string): JsonObject {
  return mapFields(source, (name, value) =>
    name === "data" || name === "fileUri" ? ["fileUri", uri] : [name, value],
  );
}

function inlineOf(
  source: JsonObject,
  given: { readonly marker: string; readonly mime_type: string },
): JsonObject {
  const inline = mapFields(source, (name, value) =>
    name === "data" || name === "fileUri" ? ["data", given.marker] : [name, value],
  );
  return textOf(source.mimeType) === null ? { ...inline, mimeType: given.mime_type } : inline;
}

function mapFields(
  object: JsonObject,
  map: (name: string, value: JsonValue) => readonly [string, JsonValue],
): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => map(name, value as JsonValue)));
}
