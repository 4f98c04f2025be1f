/** What goes to the model of what a tool has returned: bounded, plain JSON, its files in the working store. Nothing here fails a call. */
import type { ToolOutcome } from "../../core/conversation/activity-contract.js";
import type { FileMarker } from "../../core/envelope/envelope.js";
import { cleanText } from "../../core/errors/clean-text.js";
import type { JsonValue } from "../../core/json.js";
import { bareMimeType, mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../../core/media/mime.js";
import { errorMessage } from "../activity-failure.js";
import type { PatientKeeper } from "./patient-keeper.js";
import { plainValue } from "./plain-value.js";
import { sortOutput, type ToolFile } from "./tool-output.js";

/** Most of one result that goes to the model as text. */
const MOST_TEXT_BYTES = 256 * 1024;
/** What is left of a result above that. */
const KEPT_TEXT_BYTES = 64 * 1024;
const ERROR_BYTES = 2 * 1024;
/** Most files that are named where the store did not take them. */
const LOST_NAMED = 20;

/** The result of a call that failed, in words for the model. Wires without a mark for errors tell it by its beginning. */
export function errorOutcome(text: string): ToolOutcome {
  return { output: `Error: ${cleanText(text, ERROR_BYTES)}`, is_error: true };
}

/** Never rejects: whatever becomes of its result, the tool has done its work, and must not be run again for it (ACT-380). */
export async function toolOutcome(tool: string, value: unknown, keeper: PatientKeeper): Promise<ToolOutcome> {
  try {
    return await keptOutcome(tool, value, keeper);
  } catch (error) {
    const reason = cleanText(errorMessage(error), 200);
    return { output: `[The result of ${tool} cannot be read: ${reason}]`, is_error: false };
  }
}

async function keptOutcome(tool: string, value: unknown, keeper: PatientKeeper): Promise<ToolOutcome> {
  const { said, files } = sortOutput(value);
  const markers: FileMarker[] = [];
  const texts: string[] = [];
  const lost: string[] = [];
  for (const [at, file] of files.entries()) {
    const unnamed = `${tool}-${at + 1}`;
    // A Blob may lie on a disk that cannot be read any more.
    const loaded = await load(file, unnamed).catch(() => undefined);
    if (loaded?.text !== undefined) {
      texts.push(`${loaded.name}:\n${loaded.text}`);
      continue;
    }
    const marker = loaded && (await keeper.keep({ ...loaded, isText: textOf(loaded.bytes) !== undefined }));
    if (marker === undefined) lost.push(cleanText(loaded?.name ?? file.name ?? unnamed, 200));
    else markers.push(marker);
  }
  const output = withTexts(plainValue(tool, said), texts);
  const { output: bounded, ...stored } = await bound(tool, output, keeper);
  return {
    output: withTexts(bounded, lost.length === 0 ? [] : [lostNote(lost)]),
    ...stored,
    is_error: false,
    ...(markers.length === 0 ? {} : { files: markers }),
  };
}

function lostNote(lost: readonly string[]): string {
  const more = lost.length > LOST_NAMED ? ` and ${lost.length - LOST_NAMED} more` : "";
  return `[could not be kept and is missing here: ${lost.slice(0, LOST_NAMED).join(", ")}${more}]`;
}

function withTexts(output: JsonValue, texts: readonly string[]): JsonValue {
  if (texts.length === 0) return output;
  const said = typeof output === "string" ? output : JSON.stringify(output);
  return [said, ...texts].filter((text) => text !== "").join("\n\n");
}

async function bound(
  tool: string,
  output: JsonValue,
  keeper: PatientKeeper,
): Promise<Pick<ToolOutcome, "output" | "stored">> {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= MOST_TEXT_BYTES) return { output };
  const stored = await keeper.keep({ name: `${tool}.txt`, bytes, mimeType: "text/plain", isText: true });
  const kept = stored === undefined ? MOST_TEXT_BYTES : KEPT_TEXT_BYTES;
  // Never cut within a character.
  const beginning = new TextDecoder().decode(bytes.subarray(0, kept), { stream: true });
  const what = `the first ${kept} of ${bytes.byteLength} bytes of what ${tool} returned`;
  if (stored !== undefined) return { output: `${beginning}\n[cut: ${what}]`, stored };
  return { output: `${beginning}\n[cut: ${what}; the rest could not be kept]` };
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
