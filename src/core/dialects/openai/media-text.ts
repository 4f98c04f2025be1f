/** A text in the place of an image or a file. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { replaceAt } from "../replace-at.js";

/** The smallest picture there is, a transparent pixel: a screenshot has no place for text. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A part becomes one of text, a generated image a message of the model that says so. */
export function withMediaText(message: NativeMessage, path: string, text: string): NativeMessage {
  const steps = path.split(".");
  if (path === "result") {
    return { type: "message", role: "assistant", content: [{ type: "output_text", text }] };
  }
  if (steps.length < 3) return replaceAt(message, steps, () => PIXEL);
  const type = message.role === "assistant" ? "output_text" : "input_text";
  return replaceAt(message, steps.slice(0, 2), () => ({ type, text }));
}
