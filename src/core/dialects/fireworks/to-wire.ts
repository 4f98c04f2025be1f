/** What Holdfast writes into a Chat Completions history. */
import type { FilePart } from "../dialect.js";
import type { ChatMessage, ContentPart } from "./wire.js";

/** Without files a plain string; every model takes it. Lone surrogates, which the wire refuses, become U+FFFD. */
export function userMessage(text: string, files: readonly FilePart[]): ChatMessage {
  const wellFormed = text.toWellFormed();
  if (files.length === 0) return { role: "user", content: wellFormed };
  const parts = files.map(filePart);
  return {
    role: "user",
    content: text === "" ? parts : [...parts, { type: "text", text: wellFormed }],
  };
}

/** Fireworks itself takes images and video only; a compatible server may take the rest. */
function filePart({ mime_type, name, data }: FilePart): ContentPart {
  const url = `data:${mime_type};base64,${data}`;
  const family = mime_type.slice(0, mime_type.indexOf("/"));
  switch (family) {
    case "image":
      return { type: "image_url", image_url: { url } };
    case "video":
      return { type: "video_url", video_url: { url } };
    case "audio":
      return { type: "input_audio", input_audio: { data, format: audioFormat(mime_type) } };
    default:
      return { type: "file", file: { filename: name, file_data: url } };
  }
}

function audioFormat(mimeType: string): string {
  const subtype = mimeType.slice("audio/".length).replace(/^x-/, "");
  return subtype === "mpeg" ? "mp3" : subtype;
}
