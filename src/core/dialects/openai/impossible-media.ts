/** Images and files of items that name nothing that can be sent. What a newer API may add passes. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import {
  type ImpossibleMedium,
  isPossibleUrl,
  isStrictBase64,
  isText,
  partsAt,
} from "../impossible-media.js";

export function impossibleMedia({ content, output }: NativeMessage): readonly ImpossibleMedium[] {
  return [...partsAt(content, "content"), ...partsAt(output, "output")].flatMap(([part, path]) => {
    const wrong = wrongPart(part);
    if (wrong === undefined) return [];
    const { field, expected } = wrong;
    const url = field === "" ? undefined : part[field];
    const mime_type = (isText(url) ? splitDataUrl(url)?.mime_type : undefined) ?? UNKNOWN_MIME_TYPE;
    return [
      { path: field === "" ? path : `${path}.${field}`, expected, mime_type, slot: `${path}.image_url` },
    ];
  });
}

interface Wrong {
  readonly field: string;
  readonly expected: string;
}

function wrongPart(part: JsonObject): Wrong | undefined {
  const { image_url, file_data, file_url, file_id } = part;
  if (part.type === "input_image") {
    if (isText(image_url) && !isPossibleUrl(image_url))
      return { field: "image_url", expected: "an address, or a data URL with base64" };
    return isText(image_url) || isText(file_id) ? undefined : { field: "", expected: "image_url or file_id" };
  }
  if (part.type !== "input_file") return undefined;
  if (isText(file_data) && !isFileData(file_data))
    return { field: "file_data", expected: "base64, or a data URL with base64" };
  return isText(file_data) || isText(file_url) || isText(file_id)
    ? undefined
    : { field: "", expected: "file_data, file_url or file_id" };
}

function isFileData(data: string): boolean {
  return /^data:/i.test(data) ? isPossibleUrl(data) : isStrictBase64(data);
}
