/** What goes to the model of what a tool has returned: bounded, plain JSON, its files in the working store. Nothing here fails a call. */
import { createHash } from "node:crypto";
import type { ToolOutcome } from "../../core/conversation/activity-contract.js";
import type { FileMarker } from "../../core/envelope/envelope.js";
import { cleanText } from "../../core/errors/clean-text.js";
import type { JsonValue } from "../../core/json.js";
import { jsonTextByteLength } from "../../core/json-byte-length.js";
import { markerFor, mediaKey } from "../../core/media/marker.js";
import type { MediaStore } from "../../core/media/media-store.js";
import { bareMimeType, mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../../core/media/mime.js";
import { plainValue } from "./plain-value.js";
import { sortOutput, type ToolFile } from "./tool-output.js";

/** Most of one result that goes to the model as text. */
const MOST_TEXT_BYTES = 256 * 1024;
/** What is left of a result above that. */
const KEPT_TEXT_BYTES = 64 * 1024;
const ERROR_BYTES = 2 * 1024;

/** The result of a call that failed, in words for the model. Wires without a mark for errors tell it by its beginning. */
export function errorOutcome(text: string): ToolOutcome {
  return { output: `Error: ${cleanText(text, ERROR_BYTES)}`, is_error: true };
}

/** @throws what the store throws. */
export async function toolOutcome(
  tool: string,
  value: unknown,
  store: Pick<MediaStore, "put">,
): Promise<ToolOutcome> {
  const { said, files } = sortOutput(value);
  const markers: FileMarker[] = [];
  const texts: string[] = [];
  for (const file of files) {
    const loaded = await load(file, `${tool}-${markers.length + texts.length + 1}`);
    if (loaded.text !== undefined) texts.push(`${loaded.name}:\n${loaded.text}`);
    else markers.push(await keep(loaded, store));
  }
  const output = withTexts(plainValue(tool, said), texts);
  const bounded = await bound(tool, output, store);
  return { ...bounded, is_error: false, ...(markers.length === 0 ? {} : { files: markers }) };
}

function withTexts(output: JsonValue, texts: readonly string[]): JsonValue {
  if (texts.length === 0) return output;
  const said = typeof output === "string" ? output : JSON.stringify(output);
  return [said, ...texts].filter((text) => text !== "").join("\n\n");
}

async function bound(
  tool: string,
  output: JsonValue,
  store: Pick<MediaStore, "put">,
): Promise<Pick<ToolOutcome, "output" | "stored">> {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= MOST_TEXT_BYTES) return { output };
  const stored = await keep({ name: `${tool}.txt`, bytes, mimeType: "text/plain" }, store);
  // Never cut within a character.
  const beginning = new TextDecoder().decode(bytes.subarray(0, KEPT_TEXT_BYTES), { stream: true });
  const note = `[cut: the first ${KEPT_TEXT_BYTES} of ${bytes.byteLength} bytes of what ${tool} returned]`;
  return { output: `${beginning}\n${note}`, stored };
}

interface LoadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Of a text, which goes to the model as one. */
  readonly text?: string;
}

async function load({ name, data, mime_type }: ToolFile, unnamed: string): Promise<LoadedFile> {
  const bytes =
    typeof data === "string" ? Buffer.from(data) : data instanceof Blob ? await data.bytes() : data;
  const blobType = data instanceof Blob && data.type !== "" ? data.type : undefined;
  const found = name ?? (data instanceof File ? data.name : unnamed);
  // Loaded with the first file: most processes see none.
  const { fileTypeFromBuffer } = await import("file-type");
  const detected = (await fileTypeFromBuffer(bytes))?.mime;
  if (detected !== undefined) return { name: found, bytes, mimeType: bareMimeType(detected) };
  const text = textOf(bytes);
  if (text !== undefined) return { name: found, bytes, mimeType: "text/plain", text };
  const told = mime_type ?? blobType ?? mimeTypeOfExtension(found.split(".").at(-1) ?? "");
  return { name: found, bytes, mimeType: bareMimeType(told ?? UNKNOWN_MIME_TYPE) };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

async function keep(
  { name, bytes, mimeType }: LoadedFile,
  store: Pick<MediaStore, "put">,
): Promise<FileMarker> {
  const key = mediaKey(createHash("sha256").update(bytes).digest("hex"), mimeType);
  await store.put(key, bytes);
  return {
    marker: markerFor(key),
    mime_type: mimeType,
    size_bytes: bytes.byteLength,
    name,
    ...(mimeType === "text/plain" ? { json_bytes: jsonTextByteLength(bytes) } : {}),
  };
}
