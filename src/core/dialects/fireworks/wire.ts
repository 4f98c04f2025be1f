/** Chat Completions messages: Fireworks, and every OpenAI-compatible server. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { HistoryIssue } from "../../errors/errors.js";
import { isJsonObject, type JsonObject } from "../../json.js";
import { splitDataUrl } from "../../media/data-url.js";
import { mediaKind } from "../../media/media-kind.js";
import { mimeTypeOfExtension } from "../../media/mime.js";
import type { MediaSlot } from "../dialect.js";
import { mapPreserving, withField } from "../map-preserving.js";
import { remembered } from "../remembered.js";
import { listOf, object, oneOf, type Shape, string, stringOr } from "../shape.js";

/** Null counts as absent everywhere: SDKs write it. */
export interface ContentPart extends JsonObject {
  readonly type?: string | null;
  readonly text?: string | null;
  readonly refusal?: string | null;
  /** Some writers put the URL here as it is, without an object around it. */
  readonly image_url?: string | MediaUrl | null;
  readonly video_url?: string | MediaUrl | null;
  readonly input_audio?: InputAudio | null;
  readonly file?: FileContent | null;
}

interface MediaUrl extends JsonObject {
  readonly url?: string | null;
}
interface InputAudio extends JsonObject {
  readonly data?: string | null;
  readonly format?: string | null;
}
interface FileContent extends JsonObject {
  readonly file_data?: string | null;
  readonly filename?: string | null;
}

export interface FunctionCall extends JsonObject {
  readonly name?: string | null;
  /** JSON as text, as the model wrote it: not always valid. */
  readonly arguments?: string | null;
}

export interface ChatToolCall extends JsonObject {
  readonly id?: string | null;
  readonly type?: string | null;
  readonly function?: FunctionCall | null;
  readonly custom?: (JsonObject & { readonly name?: string | null; readonly input?: string | null }) | null;
}

export interface ChatMessage extends JsonObject {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly content?: string | readonly ContentPart[] | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ChatToolCall[] | null;
  /** Deprecated form of a single call, answered by role `function`. */
  readonly function_call?: FunctionCall | null;
  readonly tool_call_id?: string | null;
  readonly name?: string | null;
}

const mediaUrl = stringOr(object({ url: string }));
const contentPart = object(
  {
    type: string,
    text: string,
    refusal: string,
    image_url: mediaUrl,
    video_url: mediaUrl,
    input_audio: object({ data: string, format: string }),
    file: object({ file_data: string, file_id: string, filename: string }),
  },
  "a content part",
);
const content = stringOr(listOf(contentPart, "a string or a list of parts"));
const functionCall = object({ name: string, arguments: string });
const call = object({
  id: string,
  type: string,
  function: functionCall,
  custom: object({ name: string, input: string }),
});
const message = object({
  content,
  reasoning_content: string,
  refusal: string,
  tool_calls: listOf(call),
  function_call: functionCall,
  tool_call_id: string,
});
const role = oneOf("system", "developer", "user", "assistant", "tool", "function");

/** What a role cannot do without. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  system: { content },
  developer: { content },
  user: { content },
  tool: { content, tool_call_id: string },
};

export function checkMessage(value: unknown, index: number): readonly HistoryIssue[] {
  if (!isJsonObject(value)) return [{ index, path: "", expected: "a message object {role, content}" }];
  const misfits = [...role(value.role, "role"), ...message(value, ""), ...missing(value)];
  return misfits.map(({ path, expected }) => ({ index, path, expected }));
}

/** A field that is there has been checked already. */
function missing(checked: JsonObject): ReturnType<Shape> {
  const required = REQUIRED[String(checked.role)] ?? {};
  return Object.entries(required)
    .filter(([name]) => checked[name] === undefined || checked[name] === null)
    .flatMap(([name, shape]) => shape(checked[name], name));
}

const isChatMessage = remembered((native) => checkMessage(native, 0).length === 0);

/** The message as a chat message; undefined for what is none. */
export function asChatMessage(native: NativeMessage): ChatMessage | undefined {
  return isChatMessage(native) ? (native as ChatMessage) : undefined;
}

/** Media stand in the parts of a content: as data URLs, which keep their prefix, or as bare base64. */
export function mapMedia(native: NativeMessage, replace: (slot: MediaSlot) => string): NativeMessage {
  const chat = asChatMessage(native);
  if (typeof chat?.content !== "object" || chat.content === null) return native;
  const parts = mapPreserving(chat.content, (part, index) => mapPart(part, `content.${index}`, replace));
  return withField(chat, "content", parts);
}

type Replace = (slot: MediaSlot) => string;

function mapPart(part: ContentPart, path: string, replace: Replace): ContentPart {
  const images = mapUrl(part, "image_url", path, replace);
  const videos = mapUrl(images, "video_url", path, replace);
  return mapFile(mapAudio(videos, path, replace), path, replace);
}

function mapUrl(
  part: ContentPart,
  field: "image_url" | "video_url",
  path: string,
  replace: Replace,
): ContentPart {
  const holder = part[field];
  if (typeof holder === "string") {
    return withField(part, field, mapDataUrl(holder, `${path}.${field}`, replace) ?? holder);
  }
  if (typeof holder?.url !== "string") return part;
  const url = mapDataUrl(holder.url, `${path}.${field}.url`, replace) ?? holder.url;
  return withField(part, field, withField(holder, "url", url));
}

function mapAudio(part: ContentPart, path: string, replace: Replace): ContentPart {
  const audio = part.input_audio;
  if (typeof audio?.data !== "string") return part;
  const format = audio.format ?? "wav";
  const mime_type = mimeTypeOfExtension(format) ?? `audio/${format}`;
  const data = replace({ kind: "audio", mime_type, data: audio.data, path: `${path}.input_audio.data` });
  return withField(part, "input_audio", withField(audio, "data", data));
}

/** That of its data URL; of bare base64 only the name says it: else a PDF, this wire's usual file. */
export function typeOfFile({ file_data, filename }: JsonObject): string {
  const split = typeof file_data === "string" ? splitDataUrl(file_data) : undefined;
  const extension = /\.[^.]+$/.exec(typeof filename === "string" ? filename : "")?.[0] ?? "";
  return split?.mime_type ?? mimeTypeOfExtension(extension) ?? "application/pdf";
}

function mapFile(part: ContentPart, path: string, replace: Replace): ContentPart {
  const file = part.file;
  if (typeof file?.file_data !== "string") return part;
  const place = `${path}.file.file_data`;
  const mime_type = typeOfFile(file);
  const data =
    mapDataUrl(file.file_data, place, replace) ??
    replace({ kind: mediaKind(mime_type), mime_type, data: file.file_data, path: place });
  return withField(part, "file", withField(file, "file_data", data));
}

function mapDataUrl(url: string, path: string, replace: Replace): string | undefined {
  const split = splitDataUrl(url);
  if (split === undefined) return undefined;
  const { prefix, mime_type, data } = split;
  return prefix + replace({ kind: mediaKind(mime_type), mime_type, data, path });
}
