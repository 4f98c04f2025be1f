/** What a file is, by its content: type, digest, and whether it is whole. Nothing is held, and nothing is stored. */
import { createHash } from "node:crypto";
import { IMAGE_HEAD_BYTES, longerSide } from "../connection/measure-image.js";
import { pdfPages } from "../connection/pdf-pages.js";
import { UsageError } from "../core/errors/errors.js";
import { jsonTextByteLength } from "../core/json-byte-length.js";
import { readRanges } from "../core/media/byte-reading.js";
import { hasSignature, mediaDamage } from "../core/media/media-damage.js";
import { mediaKind } from "../core/media/media-kind.js";
import { bareMimeType, extensionOf, mimeTypeOfExtension, UNKNOWN_MIME_TYPE } from "../core/media/mime.js";
import type { FileSource } from "./file-source.js";

export interface IdentifiedFile {
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
  /** Present for text: its length inside a JSON string. */
  readonly json_bytes?: number;
  readonly pixels?: number | undefined;
  readonly pages?: number | undefined;
}

const MIME_TYPE = /^[a-z0-9][\w.+-]*\/[\w.+-]+$/;
/** No provider takes a larger PDF, so that its pages need not be counted. */
const COUNTED_PDF_BYTES: number = 50 * 1024 * 1024;

/** @throws UsageError for a file that is cut off, or is not what its name and its declared type say, and for blank text. */
export async function identifyFile(source: FileSource): Promise<IdentifiedFile> {
  const { name, size } = source;
  const content = await look(source);
  const mime_type = await typeOf(source, content.text);
  if (content.text?.isBlank === true)
    throw new UsageError(`${name} holds nothing but blank space: attach a file with content.`);
  const damage = await readRanges(mediaDamage(mime_type, size), (range) => source.read(range));
  if (damage !== undefined) {
    throw new UsageError(
      `${name} (${mime_type}) is damaged: ${damage}. Attach a whole copy. Nothing was sent.`,
    );
  }
  return {
    name,
    mime_type,
    size_bytes: size,
    sha256: content.sha256,
    ...(content.text === undefined ? {} : { json_bytes: content.text.jsonBytes }),
    ...(await measured(source, mime_type)),
  };
}

async function measured(
  source: FileSource,
  mimeType: string,
): Promise<Pick<IdentifiedFile, "pixels" | "pages">> {
  if (mediaKind(mimeType) === "image") {
    const pixels = await longerSide(
      await source.read({ position: 0, length: Math.min(source.size, IMAGE_HEAD_BYTES) }),
    );
    return { pixels };
  }
  if (mimeType !== "application/pdf" || source.size > COUNTED_PDF_BYTES) return {};
  return { pages: await pdfPages(await source.read({ position: 0, length: source.size })) };
}

interface Text {
  readonly jsonBytes: number;
  readonly isBlank: boolean;
}

/** One pass over the bytes: their digest, and whether they are text. */
async function look(
  source: FileSource,
): Promise<{ readonly sha256: string; readonly text: Text | undefined }> {
  const hash = createHash("sha256");
  const text = new TextLook();
  for await (const chunk of source.chunks()) {
    hash.update(chunk);
    text.add(chunk);
  }
  return { sha256: hash.digest("hex"), text: text.end() };
}

/** Hex SHA-256 of what the source has now. */
export async function digestOf(source: FileSource): Promise<string> {
  return (await look(source)).sha256;
}

/** UTF-8 without a NUL is text. */
class TextLook {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isText = true;
  #isBlank = true;
  #jsonBytes = 0;

  add(chunk: Uint8Array): void {
    if (!this.#isText) return;
    this.#see(() => this.#decoder.decode(chunk, { stream: true }));
    this.#jsonBytes += jsonTextByteLength(chunk);
  }

  end(): Text | undefined {
    if (this.#isText) this.#see(() => this.#decoder.decode());
    return this.#isText ? { jsonBytes: this.#jsonBytes, isBlank: this.#isBlank } : undefined;
  }

  #see(decode: () => string): void {
    try {
      const piece = decode();
      if (piece.includes("\u0000")) this.#isText = false;
      if (this.#isBlank && piece.trim() !== "") this.#isBlank = false;
    } catch {
      this.#isText = false;
    }
  }
}

/** From the content where it shows; the name and the caller's word count only for text, which has no signature. */
async function typeOf(source: FileSource, text: Text | undefined): Promise<string> {
  const { name, declared } = source;
  const detected = await source.detect();
  if (detected !== undefined) return usualName(bareMimeType(detected));
  const told =
    typeof declared === "string" && MIME_TYPE.test(bareMimeType(declared))
      ? bareMimeType(declared)
      : undefined;
  const byName = mimeTypeOfExtension(name.includes(".") ? (name.split(".").at(-1) ?? "") : "");
  if (text === undefined) {
    const claimed = [told, byName].find((type) => type !== undefined && hasSignature(type));
    if (claimed !== undefined) throw notThat(name, claimed);
    if ([told, byName].some((type) => type !== undefined && isTextType(type))) throw notUtf8(name);
    return told ?? UNKNOWN_MIME_TYPE;
  }
  const candidate = told ?? byName;
  return candidate !== undefined && isTextType(candidate) ? candidate : "text/plain";
}

/** A format has several names, and the services know one. */
function usualName(type: string): string {
  return mimeTypeOfExtension(extensionOf(type)) ?? type;
}

function notThat(name: string, claimed: string): UsageError {
  return new UsageError(
    `${name} is not what it says: its content does not begin as ${claimed} does. Attach a whole copy, or give it its own name. Nothing was sent.`,
  );
}

function notUtf8(name: string): UsageError {
  return new UsageError(
    `${name} is text in another encoding than UTF-8, or no text at all: save it as UTF-8. Nothing was sent.`,
  );
}

function isTextType(mimeType: string): boolean {
  return mimeType.startsWith("text/") || mimeType === "application/json" || mimeType === "image/svg+xml";
}
