/** Whether a medium of a history can be sent: its bytes are there, are what they are said to be, and the dialect takes them. */
import {
  type AttachmentReader,
  carriesInHistory,
  takesAttachment,
} from "../core/dialects/attachment-types.js";
import type { MediaReportEntry } from "../core/envelope/envelope.js";
import { isMalformedMarker, keyOf } from "../core/media/marker.js";
import type { MediaPlace } from "../core/media/media-place.js";
import { missingDetail } from "../core/media/media-report.js";
import { mediaText } from "../core/media/media-text.js";
import { bareMimeType } from "../core/media/mime.js";
import { usualMimeType } from "../core/media/usual-mime-type.js";

export type Verdict = Pick<MediaReportEntry, "reason"> & { readonly detail: string };

const NONE: ReadonlySet<string> = new Set();

export interface Judging {
  readonly reader: AttachmentReader;
  /** Only what can be attached to a message of its own passes: the provider has refused some medium. */
  readonly strict?: boolean;
  /** The first bytes of each blob that is there. */
  readonly heads: ReadonlyMap<string, Uint8Array>;
  /** Keys of blobs that are there with other bytes. */
  readonly damaged?: ReadonlySet<string>;
  /** Where missing bytes were looked for, if there is more to say of it than that they are not there. */
  readonly whereMissing?: string | undefined;
}

/** What is wrong with a medium; undefined where nothing is. Base64 that stands as it is is left to the provider. */
export async function judgeMedia(
  { data, mime_type }: MediaPlace,
  { reader, strict = false, heads, damaged = NONE, whereMissing }: Judging,
): Promise<Verdict | undefined> {
  const key = keyOf(data);
  if (key === undefined) {
    if (!isMalformedMarker(data)) return undefined;
    return { reason: "invalid_media", detail: "no marker: $media:<64 hex digits>.<extension>" };
  }
  const head = heads.get(key);
  if (head === undefined) {
    const isMissing = whereMissing !== undefined && !damaged.has(key);
    return {
      reason: "missing_blob",
      detail: isMissing ? `${whereMissing} ${key}` : missingDetail(key, damaged),
    };
  }
  const said = usualMimeType(mime_type);
  // Loaded with the first medium: most processes see none.
  const { fileTypeFromBuffer } = await import("file-type");
  const found = usualMimeType(bareMimeType((await fileTypeFromBuffer(head))?.mime ?? said));
  if (contradicts(said, found)) return { reason: "invalid_media", detail: `its bytes are ${found}` };
  if (!takes(reader, mime_type, strict))
    return { reason: "invalid_media", detail: `${reader.provider} does not take ${mime_type}` };
  return undefined;
}

/** What stands in the place of the medium, for a person and a model to read. */
export function verdictText(mimeType: string, size: number, { reason, detail }: Verdict): string {
  return mediaText(
    mimeType,
    size,
    reason === "missing_blob"
      ? `its bytes are ${detail.endsWith(" is damaged") ? "damaged" : "missing"}`
      : `left out, ${detail}`,
  );
}

/** Containers hold sound, pictures or documents, so that only what is told apart by its first bytes counts. */
function contradicts(said: string, found: string): boolean {
  if (said === found) return false;
  const isExact = (type: string): boolean => /^image\/(png|jpeg|gif|webp)$|^application\/pdf$/.test(type);
  return isExact(found) || (isExact(said) && said !== found);
}

/** Of images, sound and video a provider takes certain types; how documents and other files fare is for it to say. */
function takes({ provider, endpoints }: AttachmentReader, mimeType: string, strict: boolean): boolean {
  if (takesAttachment(provider, mimeType, endpoints)) return true;
  return !strict && (!/^(image|audio|video)\//.test(mimeType) || carriesInHistory(provider, mimeType));
}
