/** What Holdfast writes into a Gemini history. */
import type { FilePart } from "../dialect.js";
import type { Content } from "./wire.js";

/**
 * A file stands in `inlineData`, also in an exported history. No `displayName` goes with it: the Gemini API refuses it.
 * Lone surrogates become U+FFFD, and empty text has no part: the API refuses both.
 */
export function userMessage(text: string, files: readonly FilePart[]): Content {
  return {
    role: "user",
    parts: [
      ...files.map(({ mime_type, data }) => ({ inlineData: { mimeType: mime_type, data } })),
      ...(text === "" ? [] : [{ text: text.toWellFormed() }]),
    ],
  };
}
