/**
 * Whether a file is whole, by the least that its format promises: its head, its end and the lengths that it states. No decoder:
 * what passes here may still be refused by a provider, but what is cut off or is not what it says is told before anything is sent.
 */
import { type ByteReading, latin1, uint32 } from "./byte-reading.js";
import { isoMediaDamage } from "./iso-media-damage.js";
import { jpegDamage } from "./jpeg-damage.js";
import { bareMimeType } from "./mime.js";
import { riffDamage } from "./riff-damage.js";

/** What is wrong, to complete “NAME is damaged: …”; undefined where nothing is. */
export type Damage = string | undefined;

type Check = (sizeBytes: number) => ByteReading<Damage>;

/** Where the last mark of a file is looked for: writers may leave something behind it. */
const TAIL_BYTES = 64 * 1024;
/** How far from its start a PDF's mark may stand. */
const PDF_HEAD_BYTES = 1024;

const CHECKS: Readonly<Record<string, Check>> = {
  "image/png": pngDamage,
  "image/jpeg": jpegDamage,
  "image/gif": gifDamage,
  "image/webp": (size) => riffDamage(size, "WEBP", /^VP8[ LX]$/),
  "application/pdf": pdfDamage,
  "audio/wav": (size) => riffDamage(size, "WAVE", /^data$/),
  "audio/mpeg": mp3Damage,
  "audio/mp4": isoMediaDamage,
  "video/mp4": isoMediaDamage,
  "video/quicktime": isoMediaDamage,
  "video/3gpp": isoMediaDamage,
  "image/heic": isoMediaDamage,
  "image/heif": isoMediaDamage,
  "image/avif": isoMediaDamage,
};

/** Types whose bytes show what they are: other bytes under such a type are none of it. */
export function hasSignature(mimeType: string): boolean {
  return Object.hasOwn(CHECKS, bareMimeType(mimeType));
}

/** A reading of `sizeBytes` bytes that are to be of that type. Types of which nothing is known pass. */
export function* mediaDamage(mimeType: string, sizeBytes: number): ByteReading<Damage> {
  const type = bareMimeType(mimeType);
  const check = Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
  return check === undefined ? undefined : yield* check(sizeBytes);
}

function* pngDamage(size: number): ByteReading<Damage> {
  const head = yield { position: 0, length: 33 };
  if (!latin1(head).startsWith("\x89PNG\r\n\x1a\n")) return "it does not begin as a PNG does";
  if (latin1(head.subarray(12, 16)) !== "IHDR" || head.length < 33) return "it ends inside its header";
  if (uint32(head, 16) === 0 || uint32(head, 20) === 0) return "it has no pixels";
  return (yield* tail(size)).includes("IEND\xaeB`\x82")
    ? undefined
    : "it is cut off: its last chunk is missing";
}

function* gifDamage(size: number): ByteReading<Damage> {
  const head = yield { position: 0, length: 13 };
  if (!/^GIF8[79]a/.test(latin1(head))) return "it does not begin as a GIF does";
  if (head.length < 13) return "it ends inside its header";
  const end = (yield* tail(size)).replace(/[\0\r\n]+$/, "");
  return end.endsWith("\x3b") ? undefined : "it is cut off: its last byte is missing";
}

function* pdfDamage(size: number): ByteReading<Damage> {
  const head = latin1(yield { position: 0, length: PDF_HEAD_BYTES });
  if (!head.includes("%PDF-")) return "it does not begin as a PDF does";
  const end = yield* tail(size);
  if (!end.includes("%%EOF")) return "it is cut off: its end (%%EOF) is missing";
  return undefined;
}

/** A tag in front of the sound states its own length; frames begin with eleven set bits. */
function* mp3Damage(size: number): ByteReading<Damage> {
  const head = yield { position: 0, length: 10 };
  if (head.length < 10) return "it ends inside its header";
  const tagged = latin1(head.subarray(0, 3)) === "ID3";
  const start = tagged ? 10 + synchsafe(head.subarray(6, 10)) : 0;
  if (start >= size) return "it is cut off: it ends inside its tag";
  const sound = yield { position: start, length: TAIL_BYTES };
  const synced = sound.some((byte, at) => byte === 0xff && ((sound[at + 1] ?? 0) & 0xe0) === 0xe0);
  return synced ? undefined : "it holds no sound";
}

function synchsafe(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

function* tail(size: number): ByteReading<string> {
  const length = Math.min(size, TAIL_BYTES);
  return latin1(yield { position: size - length, length });
}
