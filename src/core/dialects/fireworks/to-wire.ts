/** What Holdfast writes into a Chat Completions history. */
import { mediaKind } from "../../media/media-kind.js";
import { bareMimeType, extensionOf } from "../../media/mime.js";
import type { FilePart } from "../dialect.js";
import type { ChatMessage, ContentPart } from "./wire.js";

/** Without files a plain string; every model takes it. Lone surrogates, which the wire refuses, become U+FFFD. */
export function userMessage(text: string, files: readonly FilePart[]): ChatMessage {
  const wellFormed = text.toWellFormed();
  if (files.length === 0) return { role: "user", content: wellFormed };
  const parts = files.map(filePart);
  return {
    role: "user",
    content: text.trim() === "" ? parts : [...parts, { type: "text", text: wellFormed }],
  };
}

/** Fireworks itself takes images and video only; a compatible server may take the rest. */
function filePart({ mime_type, name, data }: FilePart): ContentPart {
  const type = bareMimeType(mime_type);
  const url = `data:${type};base64,${data}`;
  switch (mediaKind(type)) {
    case "image":
      return { type: "image_url", image_url: { url } };
    case "video":
      return { type: "video_url", video_url: { url } };
    case "audio":
      return { type: "input_audio", input_audio: { data, format: extensionOf(type) } };
    default:
      return { type: "file", file: { filename: name.toWellFormed() || "file", file_data: url } };
  }
}
