/** Whether a RIFF file (WebP, WAV) is whole: its chunks lie inside it, and the one that matters is there. */
import { type ByteReading, latin1, uint32 } from "./byte-reading.js";

/** What a writer states that did not know the length: it wrote to a pipe. */
const UNKNOWN_LENGTHS: readonly number[] = [0, 0xffffffff];
const MOST_CHUNKS = 10_000;

export function* riffDamage(size: number, form: string, wanted: RegExp): ByteReading<string | undefined> {
  const head = yield { position: 0, length: 12 };
  const text = latin1(head);
  const known = /^(RIFF|RF64|BW64)/.test(text) && text.slice(8) === form;
  if (!known) return `it does not begin as ${form === "WAVE" ? "a WAV" : "a WebP"} does`;
  for (let position = 12, count = 0; position + 8 <= size && count < MOST_CHUNKS; count++) {
    const header = yield { position, length: 8 };
    if (header.length < 8) break;
    const length = uint32(header, 4, true);
    if (wanted.test(latin1(header.subarray(0, 4)))) return cutOff(length, size - position - 8);
    position += 8 + length + (length % 2);
  }
  return "it is cut off: it holds no content";
}

function cutOff(stated: number, left: number): string | undefined {
  if (left === 0) return "it is cut off: it holds no content";
  if (UNKNOWN_LENGTHS.includes(stated) || stated <= left) return undefined;
  return `it is cut off: ${stated - left} of ${stated} bytes are missing`;
}
