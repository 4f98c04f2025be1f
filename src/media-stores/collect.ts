/** Chunks put together. */

/** All bytes of the source in one array. With the right `sizeBytes` no more than that is ever in memory. */
export async function collect(chunks: AsyncIterable<Uint8Array>, sizeBytes = 0): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(sizeBytes);
  const rest: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (rest.length === 0 && length + chunk.byteLength <= sizeBytes) {
      whole.set(chunk, length);
      length += chunk.byteLength;
    } else rest.push(chunk);
  }
  const start = whole.subarray(0, length);
  return rest.length === 0 ? start : Buffer.concat([start, ...rest]);
}
