/** Images and videos without a URL that can be sent, and files, of which Fireworks takes none: what only other servers know is for those to take. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { type AttachmentReader, takesAttachment } from "../attachment-types.js";
import { type ImpossibleMedium, isPossibleUrl, isText, partsAt } from "../impossible-media.js";
import { typeOfFile } from "./wire.js";

export function impossibleMedia(
  { content }: NativeMessage,
  reader: AttachmentReader,
): readonly ImpossibleMedium[] {
  return partsAt(content, "content").flatMap(([part, path]) => [
    ...(["image_url", "video_url"] as const).flatMap((field) => ofUrl(part, field, path)),
    ...ofFile(part, path, reader),
  ]);
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

const NO_FILE =
  "text, image_url or video_url, for Fireworks takes no file (where an endpoint of it does, HOLDFAST_FIREWORKS_ATTACHMENTS names its types)";

function ofFile(
  part: JsonObject,
  path: string,
  { provider, endpoints }: AttachmentReader,
): readonly ImpossibleMedium[] {
  if (provider !== "fireworks" || part.type !== "file") return [];
  const mime_type = isJsonObject(part.file) ? typeOfFile(part.file) : UNKNOWN_MIME_TYPE;
  if (takesAttachment(provider, mime_type, endpoints)) return [];
  return [{ path: `${path}.type`, expected: NO_FILE, mime_type, slot: `${path}.file` }];
}
