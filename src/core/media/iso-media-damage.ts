/** Whether an MP4, a QuickTime film, an M4A or a HEIC is whole: its boxes lie inside it, and its table of contents is there. */
import { type ByteReading, latin1, uint32 } from "./byte-reading.js";

const CONTENTS: ReadonlySet<string> = new Set(["moov", "moof", "meta"]);
const MOST_BOXES = 100_000;

export function* isoMediaDamage(size: number): ByteReading<string | undefined> {
  let listed = false;
  let position = 0;
  for (let count = 0; position < size && count < MOST_BOXES; count++) {
    const header = yield { position, length: 16 };
    if (header.length < 8) break;
    const type = latin1(header.subarray(4, 8));
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) break;
    const length = boxLength(header, size - position);
    if (length > size - position)
      return `it is cut off: ${length - (size - position)} bytes of its box ${type} are missing`;
    if (length < 8) break;
    listed ||= CONTENTS.has(type);
    position += length;
  }
  return listed ? undefined : "it is cut off: its table of contents is missing";
}

/** 0 reaches to the end of the file; 1 stands for a length of 64 bits behind the type. */
function boxLength(header: Uint8Array, left: number): number {
  const length = uint32(header, 0);
  if (length === 0) return left;
  if (length !== 1) return length;
  return header.length < 16 ? left + 1 : uint32(header, 8) * 2 ** 32 + uint32(header, 12);
}
