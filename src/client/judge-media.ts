/** Whether the media of a restored history can be sent: their bytes are there, are what they are said to be, and the dialect takes them. */
import { fileTypeFromBuffer } from "file-type";
import type { Dialect } from "../core/dialects/dialect.js";
import type { MediaReportEntry } from "../core/envelope/envelope.js";
import { keyOf } from "../core/media/marker.js";
import type { MediaPlace } from "../core/media/media-place.js";
import { bareMimeType } from "../core/media/mime.js";

export type Verdict = Pick<MediaReportEntry, "reason"> & { readonly detail: string };

export interface Judging {
  readonly dialect: Pick<Dialect, "name" | "capabilities">;
  /** The first bytes of each blob that is there. */
  readonly heads: ReadonlyMap<string, Uint8Array>;
  /** Whether the restore, or the agent, names a store in which missing bytes could have been. */
  readonly storeNamed: boolean;
}

/** What is wrong with a medium; undefined where nothing is. Base64 that stands as it is is left to the provider. */
export async function judgeMedia(
  { data, mime_type }: MediaPlace,
  { dialect, heads, storeNamed }: Judging,
): Promise<Verdict | undefined> {
  const key = keyOf(data);
  if (key === undefined) {
    if (!data.startsWith("$media:")) return undefined;
    return { reason: "invalid_media", detail: "no marker: $media:<64 hex digits>.<extension>" };
  }
  const head = heads.get(key);
  if (head === undefined) {
    const where = storeNamed ? "in no store that is named" : "no media store is named";
    return { reason: "missing_blob", detail: `${where}: ${key}` };
  }
  const found = bareMimeType((await fileTypeFromBuffer(head))?.mime ?? mime_type);
  if (contradicts(mime_type, found)) return { reason: "invalid_media", detail: `its bytes are ${found}` };
  if (!takes(dialect, mime_type))
    return { reason: "invalid_media", detail: `${dialect.name} does not take ${mime_type}` };
  return undefined;
}

/** Containers hold sound, pictures or documents, so that only what is told apart by its first bytes counts. */
function contradicts(said: string, found: string): boolean {
  if (said === found) return false;
  const isExact = (type: string): boolean => /^image\/(png|jpeg|gif|webp)$|^application\/pdf$/.test(type);
  return isExact(found) || (isExact(said) && said !== found);
}

/** Of images, sound and video a provider takes certain types; how documents and other files fare is for it to say. */
function takes({ capabilities }: Judging["dialect"], mimeType: string): boolean {
  const [family] = mimeType.split("/");
  if (family !== "image" && family !== "audio" && family !== "video") return true;
  return capabilities.attachments.some((taken) => taken === mimeType || taken === `${family}/*`);
}
