/** Looking into bytes without holding them: a reading asks for ranges, and whoever has the bytes hands them to it. */

export interface ByteRange {
  readonly position: number;
  readonly length: number;
}

/** Asks for one range after the other. A range that reaches beyond the end is answered with what there is. */
export type ByteReading<Result> = Generator<ByteRange, Result, Uint8Array>;

/** The result of a reading over bytes in memory. */
export function readBytes<Result>(reading: ByteReading<Result>, bytes: Uint8Array): Result {
  let step = reading.next();
  while (step.done !== true) {
    const { position, length } = step.value;
    step = reading.next(bytes.subarray(position, position + length));
  }
  return step.value;
}

/** The result of a reading over bytes that are fetched piece by piece. */
export async function readRanges<Result>(
  reading: ByteReading<Result>,
  read: (range: ByteRange) => Promise<Uint8Array>,
): Promise<Result> {
  let step = reading.next();
  while (step.done !== true) step = reading.next(await read(step.value));
  return step.value;
}

/** The bytes as Latin-1, one character a byte. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

export function uint32(bytes: Uint8Array, at: number, littleEndian = false): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, littleEndian);
}
