/** What Holdfast writes into an Anthropic history. */
import { base64ToText } from "../../media/base64-text.js";
import { isMarker } from "../../media/marker.js";
import { mediaKind } from "../../media/media-kind.js";
import { bareMimeType } from "../../media/mime.js";
import type { FilePart } from "../dialect.js";
import type { Block, Message } from "./wire.js";

/** The API refuses other names of JPEG, blank text, and text that is no Unicode. */
export function userMessage(text: string, files: readonly FilePart[]): Message {
  const blocks = files.map(fileBlock);
  const withText = text.trim() !== "" || blocks.length === 0;
  return {
    role: "user",
    content: [...blocks, ...(withText ? [{ type: "text", text: text.toWellFormed() }] : [])],
  };
}

function fileBlock({ mime_type, name, data }: FilePart): Block {
  const type = bareMimeType(mime_type);
  if (mediaKind(type) === "image") {
    return { type: "image", source: { type: "base64", media_type: imageType(type), data } };
  }
  const title = name.trim() === "" ? {} : { title: name.toWellFormed() };
  if (type === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: type, data }, ...title };
  }
  const text = isMarker(data) ? data : base64ToText(data);
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title };
}

function imageType(type: string): string {
  return type === "image/jpg" || type === "image/pjpeg" ? "image/jpeg" : type;
}
