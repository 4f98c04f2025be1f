/** What the bytes behind a base64 text really are, read from their first bytes. */
import { readBytes } from "../core/media/byte-reading.js";
import { mediaDamage } from "../core/media/media-damage.js";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Enough for every signature below and for the size of a PNG or GIF. */
const HEAD_CHARACTERS = 64;

export function isBase64(data: string): boolean {
  return data !== "" && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** The media type that the bytes' signature tells; undefined for one that is not known. */
export function sniffMediaType(data: string): string | undefined {
  const head = headOf(data).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return "image/webp";
  if (head.startsWith("BM")) return "image/bmp";
  if (/^(?:II\*\0|MM\0\*)/.test(head)) return "image/tiff";
  if (/^P[36]\s/.test(head)) return "image/x-portable-pixmap";
  if (head.includes("%PDF-")) return "application/pdf";
  return undefined;
}

/** Pixels of a PNG or GIF; undefined for others. */
export function imageSize(data: string): ImageSize | undefined {
  const head = headOf(data);
  const type = sniffMediaType(data);
  if (type === "image/png" && head.length >= 24) {
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  }
  if (type === "image/gif" && head.length >= 10) {
    return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  }
  return undefined;
}

/** Bytes that a decoder would give up on: cut off, or not what they are said to be. Types without a structure pass. */
export function isBroken(mediaType: string, data: string): boolean {
  const bytes = Buffer.from(data, "base64");
  return readBytes(mediaDamage(mediaType, bytes.byteLength), bytes) !== undefined;
}

export interface PdfFacts {
  /** 0 where the page tree is compressed and cannot be counted cheaply. */
  readonly pages: number;
  readonly encrypted: boolean;
}

export function pdfFacts(data: string): PdfFacts {
  const raw = Buffer.from(data, "base64").toString("latin1");
  return {
    pages: raw.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0,
    encrypted: /\/Encrypt\s+\d+ \d+ R/.test(raw),
  };
}

function headOf(data: string): Buffer {
  return Buffer.from(data.slice(0, HEAD_CHARACTERS), "base64");
}
