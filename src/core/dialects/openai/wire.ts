/** OpenAI's Responses: the items that a history is made of. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { HistoryIssue } from "../../errors/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { mediaKind } from "../../media/media-kind.js";
import { mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import type { MediaSlot } from "../dialect.js";
import { mapPreserving, withField } from "../map-preserving.js";
import { remembered } from "../remembered.js";
import { listOf, object, oneOf, type Shape, string, stringOr } from "../shape.js";

/** A content part of a message or of a tool's output; kinds that a newer API adds pass through. */
export interface ContentPart extends JsonObject {
  readonly type: string;
  readonly text?: string | null;
  readonly refusal?: string | null;
  readonly image_url?: string | null;
  /** A data URL, or bare base64. */
  readonly file_data?: string | null;
  readonly filename?: string | null;
}

export interface MessageItem extends JsonObject {
  /** Absent on messages that were written by hand. */
  readonly type?: "message" | null;
  readonly role: "user" | "assistant" | "system" | "developer";
  readonly content: string | readonly ContentPart[];
}

/** An item of any kind: a message has a role, every other one a type, but for a reference, which may be an id alone. */
export interface Item extends JsonObject {
  readonly type?: string | null;
  readonly id?: string | null;
  readonly call_id?: string | null;
  readonly name?: string | null;
  readonly arguments?: JsonValue;
  readonly output?: JsonValue;
}

const partFields = object(
  { text: string, refusal: string, image_url: string, file_data: string, filename: string },
  "a content part",
);
const part: Shape = (value, path) => [
  ...partFields(value, path),
  ...(isJsonObject(value) ? string(value.type, `${path}.type`) : []),
];
const content = stringOr(listOf(part, "a string or a list of content parts"));
const role = oneOf("user", "assistant", "system", "developer");
const item = object({ type: string, id: string, call_id: string, name: string });
const functionCall = object({ arguments: string });

export function checkMessage(value: unknown, index: number): readonly HistoryIssue[] {
  if (!isJsonObject(value))
    return [{ index, path: "", expected: "an item: a message or an object with a type" }];
  return checkItem(value).map(({ path, expected }) => ({ index, path, expected }));
}

function checkItem(value: JsonObject): ReturnType<Shape> {
  const misfits = item(value, "");
  if (isMessage(value))
    return [...misfits, ...role(value.role, "role"), ...content(value.content, "content")];
  if (value.type === undefined || value.type === null) {
    if (typeof value.id === "string") return misfits;
    return [{ path: "type", expected: "a string, or a message's role" }];
  }
  return value.type === "function_call" ? [...misfits, ...functionCall(value, "")] : misfits;
}

function isMessage(value: JsonObject): boolean {
  if (value.type === "message") return true;
  return (value.type === undefined || value.type === null) && value.role !== undefined;
}

const fits = remembered((message) => checkItem(message).length === 0);

/** The value as an item; undefined for what is none. */
export function asItem(message: NativeMessage): Item | undefined {
  return fits(message) ? (message as Item) : undefined;
}

/** The value as a message; undefined for other items and for what is none. */
export function asMessage(message: NativeMessage): MessageItem | undefined {
  return isMessage(message) && fits(message) ? (message as MessageItem) : undefined;
}

/** The parts of a message; a string counts as one part of text. */
export function partsOf({ role: from, content: said }: MessageItem): readonly ContentPart[] {
  if (typeof said !== "string") return said;
  return [{ type: from === "assistant" ? "output_text" : "input_text", text: said }];
}

type Replace = (slot: MediaSlot) => string;

/**
 * Media stand in `image_url` and `file_data`, of message parts, of the parts of a tool's output and of a computer's
 * screenshot, and in the result of an image generation. A data URL keeps its prefix: a slot's data is bare base64.
 */
export function mapMedia(message: NativeMessage, replace: (slot: MediaSlot) => string): NativeMessage {
  const found = asItem(message);
  if (found === undefined) return message;
  if (found.type === "image_generation_call") return mapGeneratedImage(found, replace);
  const withContent = mapHolder(found, "content", replace);
  return mapHolder(withContent, "output", replace);
}

function mapHolder(holder: Item, name: "content" | "output", replace: Replace): Item {
  const held = holder[name];
  if (isParts(held)) {
    const parts = mapPreserving(held, (entry, index) => mapPart(entry, `${name}.${index}`, replace));
    return withField(holder, name, parts);
  }
  return isPart(held) ? withField(holder, name, mapPart(held, name, replace)) : holder;
}

function mapPart(entry: ContentPart, path: string, replace: Replace): ContentPart {
  const { image_url, file_data } = entry;
  const withImage =
    typeof image_url === "string"
      ? withField(entry, "image_url", replaceUrl(image_url, `${path}.image_url`, replace))
      : entry;
  if (typeof file_data !== "string") return withImage;
  return withField(withImage, "file_data", replaceFile(file_data, entry, `${path}.file_data`, replace));
}

function replaceUrl(url: string, path: string, replace: Replace): string {
  const found = splitDataUrl(url);
  if (found === undefined) return url;
  const { prefix, mime_type, data } = found;
  const replaced = replace({ kind: mediaKind(mime_type), mime_type, data, path });
  return replaced === data ? url : prefix + replaced;
}

function replaceFile(data: string, { filename }: ContentPart, path: string, replace: Replace): string {
  if (data.startsWith("data:")) return replaceUrl(data, path, replace);
  const extension = /\.[^.]+$/.exec(filename ?? "")?.[0] ?? "";
  const mime_type = mimeTypeOfExtension(extension) ?? UNKNOWN_MIME_TYPE;
  return replace({ kind: mediaKind(mime_type), mime_type, data, path });
}

function mapGeneratedImage(call: Item, replace: Replace): Item {
  const { result, output_format } = call;
  if (typeof result !== "string" || result === "") return call;
  const format = typeof output_format === "string" ? output_format : "png";
  const mime_type = mimeTypeOfExtension(format) ?? "image/png";
  return withField(call, "result", replace({ kind: "image", mime_type, data: result, path: "result" }));
}

function isPart(value: JsonValue | undefined): value is ContentPart {
  return isJsonObject(value) && typeof value.type === "string";
}

function isParts(value: JsonValue | undefined): value is readonly ContentPart[] {
  return Array.isArray(value) && value.every(isPart);
}
