/** MIME types as the pivot has them. */
import type { ConversionReportEntry } from "../envelope/envelope.js";
import { bareMimeType, mimeTypeOfExtension } from "../media/mime.js";
import type { Origin } from "./pivot.js";
import { changed } from "./report.js";

const NAMES_OF_JPEG: ReadonlySet<string> = new Set(["image/jpg", "image/pjpeg"]);

/** Bare, lower case, `image/jpeg` for all its names; a correction of an image's type is reported. */
export function normalisedType(
  given: string,
  origin: Origin,
): { readonly mime_type: string; readonly report: readonly ConversionReportEntry[] } {
  const bare = bareMimeType(given);
  const mime_type = NAMES_OF_JPEG.has(bare) ? "image/jpeg" : bare;
  const corrected = mime_type.startsWith("image/") && mime_type !== given;
  return { mime_type, report: corrected ? [changed("media", origin, `${given} -> ${mime_type}`)] : [] };
}

/** The type that the extension in an address's path stands for; null where it says nothing. */
export function typeOfAddress(url: string): string | null {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1];
  return extension === undefined ? null : (mimeTypeOfExtension(extension) ?? null);
}
