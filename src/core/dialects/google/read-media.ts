/** Media in a Gemini history: bytes, and addresses, of which only some can be read by anybody else. */
import { isJsonObject, type JsonValue } from "../../json.js";
import { bareMimeType, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { normalisedType, typeOfAddress } from "../media-type.js";
import type { Origin, PivotMedia } from "../pivot.js";
import { isPublicAddress } from "../public-address.js";
import { dropped } from "../report.js";
import { found, lost, otherFields, type Place, type Reading, textOf, together } from "./read-place.js";

const MEDIA_FIELDS = { mimeType: true, data: true, fileUri: true, displayName: true };

/** No other wire has media in what the model said. */
export function readInlineData(value: JsonValue, { origin, role }: Place): Reading<PivotMedia> {
  const blob = isJsonObject(value) ? value : {};
  const given = textOf(blob.mimeType) ?? UNKNOWN_MIME_TYPE;
  const data = textOf(blob.data);
  if (data === null) return lost(dropped("media", origin, `${bareMimeType(given)} without data`));
  if (role === "model") return lost(ofModel(origin, given));
  return media(origin, given, { type: "data", data }, blob.displayName, [
    ...otherFields(blob, MEDIA_FIELDS, origin),
  ]);
}

export function readFileData(value: JsonValue, { origin, role }: Place): Reading<PivotMedia> {
  const file = isJsonObject(value) ? value : {};
  const url = textOf(file.fileUri) ?? "";
  if (!isPublicAddress(url) || isFileStore(url) || isYouTube(url)) {
    return lost(dropped("file-ref", origin, url));
  }
  const given = textOf(file.mimeType) ?? typeOfAddress(url) ?? UNKNOWN_MIME_TYPE;
  if (role === "model") return lost(ofModel(origin, given));
  return media(origin, given, { type: "url", url }, file.displayName, [
    ...otherFields(file, MEDIA_FIELDS, origin),
  ]);
}

function media(
  origin: Origin,
  given: string,
  source: PivotMedia["source"],
  displayName: JsonValue | undefined,
  others: Reading["report"],
): Reading<PivotMedia> {
  const { mime_type, report } = normalisedType(given, origin);
  const name = textOf(displayName);
  const item: PivotMedia = {
    kind: "media",
    origin,
    mime_type,
    source,
    ...(name === null ? {} : { name }),
  };
  return together([found(item), lost(...report, ...others)]);
}

function ofModel(origin: Origin, mimeType: string): Reading["report"][number] {
  return dropped("media", origin, `${bareMimeType(mimeType)} in an assistant turn`);
}

/** The Files API, also behind a gateway's own host: the address needs the owner's key. */
function isFileStore(url: string): boolean {
  return /^https?:\/\/[^/?#]+\/v1(?:alpha|beta\d*)?\/files\/[^/?#]+(?:[?#].*)?$/i.test(url);
}

/** Only Gemini watches what stands behind it. */
function isYouTube(url: string): boolean {
  return /^https?:\/\/(?:[\w-]+\.)*(?:youtube\.com|youtube-nocookie\.com|youtu\.be)(?:[:/?#]|$)/i.test(url);
}
