/** A title and lines of text read cheaply from an attachment; nothing where that is not cheap. */
import { inflateSync } from "node:zlib";
import type { AttachmentFact } from "./request-facts.js";

const MAXIMUM_BASE64 = 3_000_000;
const MAXIMUM_STREAMS = 64;
const MAXIMUM_PASSAGE_LINES = 4;
const MAXIMUM_INFLATED = 1_000_000;

export interface DocumentFacts {
  readonly title?: string;
  readonly lines: readonly string[];
}

const NOTHING: DocumentFacts = { lines: [] };

export function readDocument({ mimeType, data }: AttachmentFact): DocumentFacts {
  if (data === undefined || data.length > MAXIMUM_BASE64) return NOTHING;
  if (mimeType.startsWith("text/")) {
    return { lines: splitLines(Buffer.from(data, "base64").toString("utf8")) };
  }
  return mimeType === "application/pdf" ? readPdf(Buffer.from(data, "base64")) : NOTHING;
}

/** The passage from the line that shares most words with the question (if any shares one) to the end of its sentence. */
export function matchingPassage(lines: readonly string[], question: string): string | undefined {
  const wanted = new Set(wordsOf(question));
  let best: { readonly index: number; readonly score: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const score = wordsOf(line).filter((word) => wanted.has(word)).length;
    if (score > (best?.score ?? 0)) best = { index, score };
  }
  return best === undefined ? undefined : passageFrom(lines, best.index);
}

function passageFrom(lines: readonly string[], start: number): string {
  const following = lines.slice(start, start + MAXIMUM_PASSAGE_LINES);
  const last = following.findIndex((line) => /[.!?]$/.test(line));
  return following.slice(0, last === -1 ? 1 : last + 1).join(" ");
}

/** Numbers count whatever their length: “clause 4” must find clause 4. */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 3 || /\d/.test(word)))];
}

function readPdf(bytes: Buffer): DocumentFacts {
  const raw = bytes.toString("latin1");
  const title = titleToken(raw);
  const lines = contentStreams(bytes, raw).flatMap((stream) => linesOf(stream));
  const decoded = title === undefined ? "" : decodeString(title).trim();
  return decoded === "" ? { lines } : { title: decoded, lines };
}

/** The title stands in place, or in an object of its own. */
function titleToken(raw: string): string | undefined {
  const place = /\/Title\s*(?:(\d+) \d+ R|(?=[(<]))/.exec(raw);
  if (place === null) return undefined;
  const start = place[1] === undefined ? place.index + place[0].length : raw.indexOf(`\n${place[1]} 0 obj`);
  if (start === -1) return undefined;
  return /^(?:\s*\d+ 0 obj\s*)?(\((?:\\[\s\S]|[^\\)])*\)|<[0-9A-Fa-f\s]*>)/.exec(
    raw.slice(start, start + 2_000),
  )?.[1];
}

function contentStreams(bytes: Buffer, raw: string): readonly string[] {
  const streams: string[] = [];
  const start = /stream\r?\n/g;
  for (let match = start.exec(raw); match !== null; match = start.exec(raw)) {
    const end = raw.indexOf("endstream", start.lastIndex);
    if (end === -1 || streams.length >= MAXIMUM_STREAMS) break;
    const text = inflated(bytes.subarray(start.lastIndex, end));
    if (text.includes("BT")) streams.push(text);
    start.lastIndex = end + "endstream".length;
  }
  return streams;
}

function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes, { maxOutputLength: MAXIMUM_INFLATED }).toString("latin1");
  } catch {
    return bytes.length <= MAXIMUM_INFLATED ? bytes.toString("latin1") : "";
  }
}

/** Each text-showing operator (Tj, TJ) is one line: what common writers emit for one line of a page. */
function linesOf(stream: string): readonly string[] {
  const shown = stream.match(
    /(?:\[(?:\\.|\((?:\\.|[^\\)])*\)|[^\]])*\]\s*TJ|(?:\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f\s]*>)\s*Tj)/g,
  );
  return (shown ?? []).map(textOf).filter(isReadable);
}

function textOf(operator: string): string {
  const strings = operator.match(/\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f\s]*>/g) ?? [];
  return strings.map(decodeString).join("").trim();
}

/** Fonts with an encoding of their own show as control characters: better no text than that. */
function isReadable(line: string): boolean {
  return line !== "" && /^[\t\x20-\x7E\xA0-\uFFFF]+$/.test(line);
}

function decodeString(token: string): string {
  const bytes = token.startsWith("<")
    ? Buffer.from(token.slice(1, -1).replace(/\s/g, ""), "hex")
    : Buffer.from(decodeEscapes(token.slice(1, -1)), "latin1");
  const utf16 = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!utf16) return bytes.toString("latin1");
  const even = bytes.length - (bytes.length % 2);
  return Buffer.from(bytes.subarray(2, even)).swap16().toString("utf16le");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function decodeEscapes(text: string): string {
  return text.replace(/\\([0-7]{1,3}|[\s\S])/g, (_, escaped: string) =>
    /^[0-7]/.test(escaped)
      ? String.fromCharCode(Number.parseInt(escaped, 8) & 0xff)
      : (ESCAPES[escaped] ?? escaped),
  );
}

function splitLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
