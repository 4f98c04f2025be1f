/** Whether a JPEG is whole: its segments up to the picture, and the mark that ends the picture. */
import { type ByteReading, latin1 } from "./byte-reading.js";

const PIECE_BYTES = 256 * 1024;
/** No camera writes more segments; each one costs a look. */
const MOST_SEGMENTS = 10_000;

const START_OF_SCAN = 0xda;

/**
 * Segments state their lengths, and an embedded preview ends with the same mark as the picture: so the mark is looked for behind
 * the segments only. From the end, because cameras put films behind their pictures.
 */
export function* jpegDamage(size: number): ByteReading<string | undefined> {
  const head = yield { position: 0, length: 3 };
  if (!latin1(head).startsWith("\xff\xd8\xff")) return "it does not begin as a JPEG does";
  const scan = yield* startOfScan();
  if (scan === undefined) return "it is cut off inside its header";
  for (let end = size; end > scan; end -= PIECE_BYTES) {
    const position = Math.max(scan, end - PIECE_BYTES);
    // One byte more, so that a mark on the border is seen.
    const piece = yield { position, length: end - position + 1 };
    if (latin1(piece).includes("\xff\xd9")) return undefined;
  }
  return "it is cut off: the end of its picture is missing";
}

function* startOfScan(): ByteReading<number | undefined> {
  let position = 2;
  for (let count = 0; count < MOST_SEGMENTS; count++) {
    const header = yield { position, length: 4 };
    const [mark, kind, high, low] = header;
    if (mark !== 0xff || kind === undefined || high === undefined || low === undefined) return undefined;
    // Marks may be padded with more of their first byte.
    if (kind === 0xff) position += 1;
    else if (kind === START_OF_SCAN) return position + 2;
    else position += 2 + high * 256 + low;
  }
  return undefined;
}
