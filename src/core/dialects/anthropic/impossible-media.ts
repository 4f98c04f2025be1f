/** Images and documents whose source says nothing that can be sent. What a newer API may add passes. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import { bareMimeType, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { type ImpossibleMedium, isStrictBase64, isText, partsAt } from "../impossible-media.js";

export function impossibleMedia({ content }: NativeMessage): readonly ImpossibleMedium[] {
  return partsAt(content, "content").flatMap(([block, path]) => ofBlock(block, path));
}

function ofBlock(block: JsonObject, path: string): readonly ImpossibleMedium[] {
  const { type, source, content } = block;
  const nested = [
    ...partsAt(content, `${path}.content`),
    ...(isJsonObject(source) ? partsAt(source.content, `${path}.source.content`) : []),
  ].flatMap(([inner, at]) => ofBlock(inner, at));
  if (type !== "image" && type !== "document") return nested;
  const wrong = isJsonObject(source)
    ? wrongSource(source)
    : { field: "", expected: `a source of the ${type}: base64, a URL or a file` };
  if (wrong === undefined) return nested;
  const { field, expected } = wrong;
  const given = isJsonObject(source) && isText(source.media_type) ? source.media_type : undefined;
  const mime_type = bareMimeType(given ?? (type === "document" ? "application/pdf" : UNKNOWN_MIME_TYPE));
  const at = `${path}.source${field === "" ? "" : `.${field}`}`;
  return [...nested, { path: at, expected, mime_type, slot: `${path}.source.data` }];
}

interface Wrong {
  readonly field: string;
  readonly expected: string;
}

function wrongSource({ type, data, url, file_id }: JsonObject): Wrong | undefined {
  if (type === undefined || type === null) return { field: "type", expected: "base64, url or file" };
  if (type === "base64" && !isStrictBase64(data))
    return { field: "data", expected: "the base64 of the file's bytes" };
  if (type === "text" && typeof data !== "string") return { field: "data", expected: "a text" };
  if (type === "url" && !isText(url)) return { field: "url", expected: "an address" };
  if (type === "file" && !isText(file_id)) return { field: "file_id", expected: "the id of a file" };
  return undefined;
}
