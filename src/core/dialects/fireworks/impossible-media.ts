/** Images and videos without a URL that can be sent. Parts of kinds that only other servers know are for those to take. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { type ImpossibleMedium, isPossibleUrl, isText, partsAt } from "../impossible-media.js";

export function impossibleMedia({ content }: NativeMessage): readonly ImpossibleMedium[] {
  return partsAt(content, "content").flatMap(([part, path]) =>
    (["image_url", "video_url"] as const).flatMap((field) => ofUrl(part, field, path)),
  );
}

function ofUrl(
  part: JsonObject,
  field: "image_url" | "video_url",
  path: string,
): readonly ImpossibleMedium[] {
  if (part.type !== field) return [];
  const holder = part[field];
  const url = isJsonObject(holder) ? holder.url : undefined;
  if (isText(url) && isPossibleUrl(url)) return [];
  const at = isJsonObject(holder) ? `${path}.${field}.url` : `${path}.${field}`;
  const expected = isJsonObject(holder)
    ? "an address, or a data URL with base64"
    : "an object with a url: {url}";
  const mime_type = (isText(url) ? splitDataUrl(url)?.mime_type : undefined) ?? UNKNOWN_MIME_TYPE;
  return [{ path: at, expected, mime_type, slot: `${path}.${field}` }];
}
