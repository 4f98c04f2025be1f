/** A stream that ends, whatever a store does. */
import { MOST_FILE_BYTES } from "../core/media/limits.js";
import { BlobDamagedError } from "./blob-damaged-error.js";

/** A table may be wrong about a size, and the bytes be right. */
const SLACK_BYTES: number = 64 * 1024 * 1024;

/** The chunks. @throws BlobDamagedError once they are far above the size that is known, or that any file has. */
export async function* boundedStream(
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  sizeBytes: number | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const known = sizeBytes === undefined || sizeBytes === 0 ? MOST_FILE_BYTES : sizeBytes;
  const most = known + SLACK_BYTES;
  let seen = 0;
  for await (const chunk of chunks) {
    seen += chunk.byteLength;
    if (seen > most)
      throw new BlobDamagedError(
        key,
        `Media blob ${key} is damaged: the store gives more than ${most} bytes of it, and it has ${known}. Put it there again.`,
      );
    yield chunk;
  }
}
