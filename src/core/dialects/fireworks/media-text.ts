/** A text in the place of an image, a recording or a file. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { replaceAt } from "../replace-at.js";

/** The whole part becomes one of text. */
export function withMediaText(message: NativeMessage, path: string, text: string): NativeMessage {
  return replaceAt(message, path.split(".").slice(0, 2), () => ({ type: "text", text }));
}
