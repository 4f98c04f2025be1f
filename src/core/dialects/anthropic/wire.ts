/** Anthropic's Messages: the list that a history is made of. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { HistoryIssue } from "../../errors/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { base64ToText, textToBase64 } from "../../media/base64-text.js";
import { isMarker } from "../../media/marker.js";
import { mediaKind } from "../../media/media-kind.js";
import { bareMimeType, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import type { MediaSlot } from "../dialect.js";
import { mapPreserving, withField } from "../map-preserving.js";
import { remembered } from "../remembered.js";
import { listOf, object, oneOf, type Shape, string, stringOr } from "../shape.js";

/** Where an image's or a document's content comes from: base64, plain text, blocks, a URL or an uploaded file. */
export interface Source extends JsonObject {
  readonly type?: string | null;
  readonly media_type?: string | null;
  /** Base64, or plain text where the type is `text`; in both a marker may stand for it. */
  readonly data?: string | null;
  readonly content?: string | readonly Block[] | null;
}

/** A content block of any kind; kinds that a newer API adds pass through. */
export interface Block extends JsonObject {
  readonly type: string;
  readonly text?: string | null;
  readonly citations?: JsonValue;
  /** Of a search result: the address it was found at. */
  readonly source?: Source | string | null;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly input?: JsonValue;
  readonly tool_use_id?: string | null;
  readonly content?: JsonValue;
}

export interface Message extends JsonObject {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly Block[];
}

const source = object({ type: string, media_type: string, data: string });
const fields = object({ text: string, id: string, name: string, tool_use_id: string }, "a content block");
const mediaFields = object({ source });
const block: Shape = (value, path) => {
  const misfits = fields(value, path);
  if (!isJsonObject(value)) return misfits;
  const { type } = value;
  const holdsMedia = type === "image" || type === "document";
  return [...misfits, ...string(type, `${path}.type`), ...(holdsMedia ? mediaFields(value, path) : [])];
};
const role = oneOf("user", "assistant", "system");
const content = stringOr(listOf(block, "a string or a list of content blocks"));

export function checkMessage(value: unknown, index: number): readonly HistoryIssue[] {
  if (!isJsonObject(value)) return [{ index, path: "", expected: "a message object {role, content}" }];
  const misfits = [...role(value.role, "role"), ...content(value.content, "content")];
  return misfits.map(({ path, expected }) => ({ index, path, expected }));
}

const fits = remembered((message) => checkMessage(message, 0).length === 0);

/** The value as a message; undefined for what is none. */
export function asMessage(message: NativeMessage): Message | undefined {
  return fits(message) ? (message as Message) : undefined;
}

/** The blocks of a message; a string counts as one text block. */
export function blocksOf(message: Message): readonly Block[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

type Replace = (slot: MediaSlot) => string;

/**
 * Media stand in the sources of images and documents, also inside tool results, documents made of blocks, and fetched
 * pages. A document of plain text is shown to `replace` as the base64 of its UTF-8, so that its bytes are the file's.
 */
export function mapMedia(message: NativeMessage, replace: (slot: MediaSlot) => string): NativeMessage {
  const found = asMessage(message);
  if (found === undefined || typeof found.content === "string") return message;
  return withField(found, "content", mapBlocks(found.content, "content", replace));
}

function mapBlocks(blocks: readonly Block[], path: string, replace: Replace): readonly Block[] {
  return mapPreserving(blocks, (entry, index) => mapBlock(entry, `${path}.${index}`, replace));
}

function mapBlock(entry: Block, path: string, replace: Replace): Block {
  const mapped = isJsonObject(entry.source)
    ? withField(entry, "source", mapSource(entry, entry.source, path, replace))
    : entry;
  const inner = mapped.content;
  if (isBlocks(inner)) return withField(mapped, "content", mapBlocks(inner, `${path}.content`, replace));
  if (isBlock(inner)) return withField(mapped, "content", mapBlock(inner, `${path}.content`, replace));
  return mapped;
}

function mapSource(holder: Block, from: Source, path: string, replace: Replace): Source {
  if (isBlocks(from.content)) {
    return withField(from, "content", mapBlocks(from.content, `${path}.source.content`, replace));
  }
  const { data } = from;
  if (typeof data !== "string" || (from.type !== "base64" && from.type !== "text")) return from;
  const slot = (value: string): MediaSlot => {
    const given = from.media_type;
    const mime_type = bareMimeType(typeof given === "string" ? given : defaultMimeType(holder));
    return { kind: mediaKind(mime_type), mime_type, data: value, path: `${path}.source.data` };
  };
  if (from.type === "base64") return withField(from, "data", replace(slot(data)));
  return withField(
    from,
    "data",
    replaceText(data, (value) => replace({ ...slot(value), as_text: true })),
  );
}

/** Text that UTF-8 cannot hold is not visited: it would not come back as it was. */
function replaceText(text: string, replace: (data: string) => string): string {
  if (!text.isWellFormed()) return text;
  const shown = isMarker(text) ? text : textToBase64(text);
  const replaced = replace(shown);
  if (replaced === shown) return text;
  return isMarker(replaced) ? replaced : base64ToText(replaced);
}

function defaultMimeType(holder: Block): string {
  return holder.type === "document" ? "application/pdf" : UNKNOWN_MIME_TYPE;
}

function isBlock(value: JsonValue | undefined): value is Block {
  return isJsonObject(value) && typeof value.type === "string";
}

function isBlocks(value: JsonValue | undefined): value is readonly Block[] {
  return Array.isArray(value) && value.every(isBlock);
}
