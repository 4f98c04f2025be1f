/** What Holdfast writes into a Responses history. */
import { mediaKind } from "../../media/media-kind.js";
import { bareMimeType } from "../../media/mime.js";
import type { FilePart } from "../dialect.js";
import type { ContentPart, MessageItem } from "./wire.js";

/** Lone surrogates become U+FFFD: strict JSON parsers refuse them. */
export function userMessage(text: string, files: readonly FilePart[]): MessageItem {
  const parts = files.map(filePart);
  const withText = text.trim() !== "" || parts.length === 0;
  return {
    type: "message",
    role: "user",
    content: [...parts, ...(withText ? [{ type: "input_text", text: text.toWellFormed() }] : [])],
  };
}

function filePart({ mime_type, name, data }: FilePart): ContentPart {
  const type = bareMimeType(mime_type);
  const url = `data:${type};base64,${data}`;
  if (mediaKind(type) === "image") return { type: "input_image", detail: "auto", image_url: url };
  return { type: "input_file", filename: name.toWellFormed() || "file", file_data: url };
}
