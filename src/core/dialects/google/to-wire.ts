/** What Holdfast writes into a Gemini history. */
import { bareMimeType } from "../../media/mime.js";
import type { FilePart } from "../dialect.js";
import type { Content } from "./wire.js";

/**
 * A file stands in `inlineData`, without the `displayName` that only Vertex takes. Lone surrogates become U+FFFD, and
 * beside files blank text has no part: the API refuses both.
 */
export function userMessage(text: string, files: readonly FilePart[]): Content {
  const parts = files.map(({ mime_type, data }) => ({
    inlineData: { mimeType: bareMimeType(mime_type), data },
  }));
  const withText = text.trim() !== "" || parts.length === 0;
  return { role: "user", parts: [...parts, ...(withText ? [{ text: text.toWellFormed() }] : [])] };
}
