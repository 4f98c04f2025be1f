/** What sort of medium a MIME type is, as reports name it. */
import type { MediaKind } from "../envelope/envelope.js";
import { bareMimeType } from "./mime.js";

/** Parameters and upper case are allowed: `Image/PNG; charset=…` is an image. */
export function mediaKind(mimeType: string): MediaKind {
  const [family, subtype] = bareMimeType(mimeType).split("/");
  if (family === "image" || family === "audio" || family === "video") return family;
  if (family === "text" || (family === "application" && subtype === "pdf")) return "document";
  return "file";
}
