/** The one name by which services know a type of media. */
import { bareMimeType, extensionOf, mimeTypeOfExtension } from "./mime.js";

/** Types of texts have no other name that a service would not know, and those that are not known may need their parameters. */
const RENAMED = /^(?:image|audio|video)\/|^application\/(?:x-)?pdf$/;

/** Of a picture, a sound, a video or a PDF; any other type as it is. */
export function usualMimeType(mimeType: string): string {
  const bare = bareMimeType(mimeType);
  return RENAMED.test(bare) ? (mimeTypeOfExtension(extensionOf(bare)) ?? mimeType) : mimeType;
}
